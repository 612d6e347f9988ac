public import Domain
public import EventStore
public import Foundation

extension PolicyStore {
    /// However much the tenant has put already.
    public func put(
        _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data
    ) async throws(EventStoreError) -> PolicyPut {
        try await put(tenant, kind, expected, document, .max)
    }
}
