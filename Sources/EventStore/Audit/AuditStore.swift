public import Domain

/// What administrators have done. Acts are written by the store itself, with what they change.
public protocol AuditStore: Sendable {
    /// Newest first.
    /// - Parameters:
    ///   - tenant: nil for all.
    ///   - before: only acts before the one with this id.
    func list(_ tenant: TenantID?, _ before: Int64?, _ limit: Int) async throws(EventStoreError)
        -> [AuditEntry]
    /// Where the acts are of a tenant that was here and is no more.
    /// - Returns: nil when there was none of that name; of several the last.
    func former(_ name: String) async throws(EventStoreError) -> FormerTenant?
}

/// A tenant that is no longer here.
public enum FormerTenant: Hashable, Sendable {
    /// Its acts stay.
    case removed(TenantID)
    /// Its acts went with it.
    case moved(cell: String)
}
