import Domain
import EventStore
import Foundation
import Postgres

struct PostgresAuditStore: AuditStore {
    let wall: TenantScopedPool

    func list(_ tenant: TenantID?, _ before: Int64?, _ limit: Int) async throws(EventStoreError)
        -> [AuditEntry]
    {
        // As the service, since a tenant's name is not for those who ask for it.
        try await wall.pool.rows(
            Self.list(ofOne: tenant != nil),
            [.int4(tenant?.rawValue), .int8(before ?? .max), .count(limit)], AuditEntry.init)
    }

    func former(_ name: String) async throws(EventStoreError) -> FormerTenant? {
        try await wall.pool.rows(Self.former, [.text(name)], FormerTenant.init).first
    }

    /// $1 tenant or null, $2 the id to stay below, $3 limit. Each sort by its own index. Of a
    /// tenant that was removed the last act, its removal, has the name.
    private static func list(ofOne: Bool) -> String {
        """
        SELECT a.id, a.tenant, coalesce(t.name, (
                SELECT r.subject FROM audit_entry r
                WHERE r.tenant = a.tenant AND r.act = 'tenant.removed' ORDER BY r.id DESC LIMIT 1
            ), ''), a.at, a.actor, a.act, a.subject, a.before::text, a.after::text
        FROM audit_entry a LEFT JOIN tenant t ON t.id = a.tenant
        WHERE \(ofOne ? "a.tenant = $1" : "$1::int4 IS NULL") AND a.id < $2
        ORDER BY a.id DESC LIMIT $3
        """
    }

    /// $1 name. One that has moved was here last: its name is not given to another.
    private static let former = """
        SELECT d.tenant, d.cell FROM departed_tenant d WHERE d.name = $1
        UNION ALL (
            SELECT a.tenant, NULL FROM audit_entry a
            WHERE a.act = 'tenant.removed' AND a.subject = $1 ORDER BY a.id DESC LIMIT 1
        )
        ORDER BY 2 NULLS LAST LIMIT 1
        """
}

extension FormerTenant: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        let tenant = try row.tenant()
        guard let cell = try row.optionalText() else {
            self = .removed(tenant)
            return
        }
        self = .moved(cell: cell)
    }
}

extension AuditEntry: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.int8(), tenant: Tenant(from: &row), at: row.moment(),
            actor: row.text(), act: row.text(), subject: row.text(),
            before: row.optionalText().map { Data($0.utf8) },
            after: row.optionalText().map { Data($0.utf8) })
    }
}
