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

    /// $1 tenant or null, $2 the id to stay below, $3 limit. Each sort by its own index.
    private static func list(ofOne: Bool) -> String {
        """
        SELECT a.id, t.id, t.name, a.at, a.actor, a.act, a.subject, a.before::text, a.after::text
        FROM audit_entry a JOIN tenant t ON t.id = a.tenant
        WHERE \(ofOne ? "a.tenant = $1" : "$1::int4 IS NULL") AND a.id < $2
        ORDER BY a.id DESC LIMIT $3
        """
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
