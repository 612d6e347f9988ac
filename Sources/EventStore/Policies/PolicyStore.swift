public import Domain
public import Foundation

public enum PolicyPut: Hashable, Sendable {
    case done(version: Int, fromPosition: Int64)
    /// It is what the newest version says already.
    case known(version: Int, fromPosition: Int64)
    /// The newest version is another than expected.
    case conflict
}

/// Tenants' policies. What a document says is for others to know.
public protocol PolicyStore: Sendable {
    /// Puts the next version in force for all events recorded from now on.
    /// - Parameter expected: the newest version as the caller knows it, 0 for none; nil: any.
    func put(_ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data)
        async throws(EventStoreError) -> PolicyPut
    /// All of a tenant's, by kind and version.
    func all(_ tenant: TenantID) async throws(EventStoreError) -> [StoredPolicy]
}
