public import Domain
public import Foundation

public enum PolicyPut: Hashable, Sendable {
    case done(version: Int, fromPosition: Int64)
    /// It is what the newest version says already.
    case known(version: Int, fromPosition: Int64)
    /// The newest version is another than expected.
    case conflict
    /// The tenant keeps as much as it may.
    case full
}

/// Tenants' policies. What a document says is for others to know.
public protocol PolicyStore: Sendable {
    /// Puts the next version in force for all events recorded from now on.
    /// - Parameters:
    ///   - expected: the newest version as the caller knows it, 0 for none; nil: any.
    ///   - bytesMax: what all versions of the tenant may take up, of which each counts as
    ///     `StoredPolicy.countedBytesMin` at least.
    func put(
        _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data, _ bytesMax: Int
    ) async throws(EventStoreError) -> PolicyPut
    /// Those that events of some positions are judged by, by kind and version: at most one of a
    /// kind for each event.
    func inForce(_ tenant: TenantID, _ positions: ClosedRange<Int64>)
        async throws(EventStoreError) -> [StoredPolicy]
    /// One kind's, from a version back, newest first: as many as fit into an answer.
    func versions(_ tenant: TenantID, _ kind: String, _ newest: Int, _ limit: Int)
        async throws(EventStoreError) -> [StoredPolicy]
}

extension PolicyStore {
    /// Of each kind the newest.
    public func newest(_ tenant: TenantID) async throws(EventStoreError) -> [StoredPolicy] {
        try await inForce(tenant, .max ... .max)
    }
}
