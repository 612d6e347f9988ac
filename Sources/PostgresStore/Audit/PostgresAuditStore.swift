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

    func page(
        of tenant: TenantID, _ before: Int64?, _ limit: Int, bytesMax: Int
    ) async throws(EventStoreError) -> (acts: [AuditEntry], isEnd: Bool) {
        let parameters: [Parameter] = [
            .int8(before ?? .max), .count(limit + 1), .tenant(tenant), .count(bytesMax),
        ]
        let found = try await tenantPool.pool.rows(Self.page, parameters) {
            (row) throws(PostgresError) -> (act: AuditEntry, count: Int64) in
            var row = RowReader(row)
            return (try AuditEntry(from: &row), try row.get())
        }
        let count = found.first?.count ?? 0
        let acts = found.prefix(limit).map { $0.act }
        return (acts, count == Int64(acts.count))
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

    /// The last column says how many there would be without the bound in bytes.
    /// $1 the id to stay below, $2 limit, $3 tenant, $4 bytes, before which the last one begins.
    private static let page = """
        SELECT p.id, p.tenant, p.name, p.at, p.actor, p.act, p.subject, p.before, p.after, p.count
        FROM (
            SELECT n.*, count(*) OVER () AS count,
                sum(n.bytes) OVER (ORDER BY n.id DESC) - n.bytes AS bytes_before
            FROM (
                SELECT l.*, coalesce(octet_length(l.before), 0)
                    + coalesce(octet_length(l.after), 0) AS bytes
                FROM (
                    \(list(where: "a.tenant = $3"))
                ) l (id, tenant, name, at, actor, act, subject, before, after)
            ) n
        ) p WHERE p.bytes_before < $4 ORDER BY p.id DESC
        """

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
