public import Domain

/// What administrators have done. Acts are written by the store itself, with what they change.
public protocol AuditStore: Sendable {
    /// Newest first.
    /// - Parameters:
    ///   - tenant: nil for all.
    ///   - before: only acts before the one with this id.
    func list(_ tenant: TenantID?, _ before: Int64?, _ limit: Int) async throws(EventStoreError)
        -> [AuditEntry]
    /// A page of one tenant's: as many as are asked for, and no more after so many bytes of what
    /// they have changed.
    /// - Returns: them, and whether they are the last.
    func page(
        of tenant: TenantID, _ before: Int64?, _ limit: Int, bytesMax: Int
    ) async throws(EventStoreError) -> (acts: [AuditEntry], isEnd: Bool)
    /// Acts of some tenants, newest first as well.
    func list(of tenants: [TenantID], _ before: Int64?, _ limit: Int)
        async throws(EventStoreError) -> [AuditEntry]
    /// Who has, or had, a name: it is given to another tenant once its tenant was removed.
    /// - Returns: those whose acts are here, which are the one that has it now and those that were
    ///   removed; and where the last one has moved to, and its acts with it.
    func named(_ name: String) async throws(EventStoreError) -> (here: [TenantID], cell: String?)
}
