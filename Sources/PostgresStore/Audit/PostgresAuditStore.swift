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
            .int8(before ?? .max), .count(limit), .tenant(tenant), .count(bytesMax),
        ]
        let found = try await tenantPool.pool.rows(Self.page, parameters) {
            (row) throws(PostgresError) -> (act: AuditEntry, isEnd: Bool) in
            var row = RowReader(row)
            return (try AuditEntry(from: &row), try row.get())
        }
        return (found.map { $0.act }, found.first?.isEnd ?? true)
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

    /// Of a tenant that was removed the last act, its removal, has the name.
    private static let name = """
        coalesce(t.name, (
            SELECT r.subject FROM audit_entry r
            WHERE r.tenant = a.tenant AND r.act = 'tenant.removed' ORDER BY r.id DESC LIMIT 1
        ), '')
        """

    /// $1 the id to stay below, $2 limit. Each sort by its own index.
    private static func list(where condition: String) -> String {
        """
        SELECT a.id, a.tenant, \(name), a.at, a.actor, a.act, a.subject, a.before::text,
            a.after::text
        FROM audit_entry a LEFT JOIN tenant t ON t.id = a.tenant
        WHERE \(condition) AND a.id < $1
        ORDER BY a.id DESC LIMIT $2
        """
    }

    /// Reads one act after the other, since an act may be long, and stops where the page ends. A
    /// comparison of both columns, and a sort by both, find each in the tenant's own index: by the
    /// id alone, Postgres may go through the acts of all tenants. The last column says whether no
    /// act of the tenant is left.
    /// $1 the id to stay below, $2 limit, $3 tenant, $4 bytes, before which the last one begins.
    private static let page = """
        WITH RECURSIVE page (count, bytes, tenant, id, at, actor, act, subject, before, after) AS (
            SELECT 0::int8, 0::int8, $3::int4, $1::int8, NULL::timestamptz, NULL::text, NULL::text,
                NULL::text, NULL::text, NULL::text
            UNION ALL
            SELECT p.count + 1, p.bytes + coalesce(octet_length(a.before), 0)
                    + coalesce(octet_length(a.after), 0), p.tenant, a.*
            FROM page p CROSS JOIN LATERAL (
                SELECT e.id, e.at, e.actor, e.act, e.subject, e.before::text, e.after::text
                FROM audit_entry e
                WHERE (e.tenant, e.id) < ($3, p.id) AND e.tenant >= $3
                ORDER BY e.tenant DESC, e.id DESC LIMIT 1
            ) a
            WHERE p.count < $2 AND p.bytes < $4
        )
        SELECT a.id, a.tenant, \(name), a.at, a.actor, a.act, a.subject, a.before, a.after,
            (
                SELECT e.id FROM audit_entry e
                WHERE (e.tenant, e.id) < ($3, (SELECT min(l.id) FROM page l)) AND e.tenant >= $3
                ORDER BY e.tenant DESC, e.id DESC LIMIT 1
            ) IS NULL
        FROM page a LEFT JOIN tenant t ON t.id = a.tenant
        WHERE a.count > 0 ORDER BY a.id DESC
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
