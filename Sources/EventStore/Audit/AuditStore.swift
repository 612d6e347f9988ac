public import Domain

/// What administrators have done. Acts are written by the store itself, with what they change.
public protocol AuditStore: Sendable {
    /// Newest first.
    /// - Parameters:
    ///   - tenant: nil for all.
    ///   - before: only acts before the one with this id.
    func list(_ tenant: TenantID?, _ before: Int64?, _ limit: Int) async throws(EventStoreError)
        -> [AuditEntry]
}
