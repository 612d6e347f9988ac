import Domain
import EventStore
import Foundation
import Postgres

struct PostgresAuditStore: AuditStore {
    let tenantPool: TenantScopedPool

    // As the service, since a tenant's name is not for those who ask for it.

    func list(_ tenant: TenantID?, _ before: Int64?, _ limit: Int) async throws(EventStoreError)
        -> [AuditEntry]
    {
        try await tenantPool.pool.rows(
            Self.list(where: tenant == nil ? "$3::int4 IS NULL" : "a.tenant = $3"),
            [.int8(before ?? .max), .count(limit), .int4(tenant?.rawValue)], AuditEntry.init)
    }

    func list(of tenants: [TenantID], _ before: Int64?, _ limit: Int)
        async throws(EventStoreError) -> [AuditEntry]
    {
        let ids = Parameter.int4s(tenants.map { $0.rawValue })
        return try await tenantPool.pool.rows(
            Self.list(where: "a.tenant = ANY ($3::int4[])"),
            [.int8(before ?? .max), .count(limit), ids], AuditEntry.init)
    }

    func named(_ name: String) async throws(EventStoreError) -> (here: [TenantID], cell: String?) {
        let found = try await tenantPool.pool.rows(Self.named, [.text(name)]) {
            (row) throws(PostgresError) -> (id: TenantID, cell: String?) in
            (id: try row.tenant(0), cell: try row.optional(1, as: String.self))
        }
        return (found.filter { $0.cell == nil }.map { $0.id }, found.compactMap { $0.cell }.first)
    }

    /// $1 the id to stay below, $2 limit. Each sort by its own index. Of a tenant that was removed
    /// the last act, its removal, has the name.
    private static func list(where condition: String) -> String {
        """
        SELECT a.id, a.tenant, coalesce(t.name, (
                SELECT r.subject FROM audit_entry r
                WHERE r.tenant = a.tenant AND r.act = 'tenant.removed' ORDER BY r.id DESC LIMIT 1
            ), ''), a.at, a.actor, a.act, a.subject, a.before::text, a.after::text
        FROM audit_entry a LEFT JOIN tenant t ON t.id = a.tenant
        WHERE \(condition) AND a.id < $1
        ORDER BY a.id DESC LIMIT $2
        """
    }

    /// $1 name. One that has moved was here last: its name is not given to another.
    private static let named = """
        SELECT t.id, NULL::text FROM tenant t WHERE t.name = $1
        UNION ALL
        SELECT a.tenant, NULL FROM audit_entry a
        WHERE a.act = 'tenant.removed' AND a.subject = $1
        UNION ALL
        SELECT d.tenant, d.cell FROM departed_tenant d WHERE d.name = $1
        """
}

extension AuditEntry: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.get(), tenant: Tenant(from: &row), at: row.moment(),
            actor: row.get(), act: row.get(), subject: row.get(), before: row.optional(),
            after: row.optional())
    }
}
