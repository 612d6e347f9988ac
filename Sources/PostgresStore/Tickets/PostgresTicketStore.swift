import Domain
import EventStore
import Postgres

/// Asked as the service: what is asked for a tenant may not read secrets.
struct PostgresTicketStore: TicketStore {
    let pool: Pool

    func secrets(_ tenant: TenantID) async throws(EventStoreError) -> [TicketSecret] {
        try await pool.rows(Self.valid, [.tenant(tenant)], TicketSecret.init)
    }

    func keys(_ tenant: TenantID) async throws(EventStoreError) -> TicketKeys {
        try await storing { () async throws(PostgresError) in
            // The newest first: of one that is added in between nothing is known.
            let results = try await pool.batch([
                Statement(Self.newestKey), Statement(Self.livingKeys, [.tenant(tenant)]),
            ])
            let living = try results[1].decoded { (row) throws(PostgresError) -> Int64 in
                try row.get(0)
            }
            return TicketKeys(
                living: Set(living), newestID: try results[0].first?.get(0) ?? 0)
        }
    }

    func ensure(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    {
        try await newest(after: Self.first, tenant, fresh)
    }

    func rotate(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    {
        try await newest(after: Self.next, tenant, fresh)
    }

    private func newest(
        after insert: String, _ tenant: TenantID, _ fresh: [UInt8]
    ) async throws(EventStoreError) -> TicketSecret {
        try await storing { () async throws(PostgresError) in
            let results = try await pool.act([
                Statement("SELECT FROM tenant WHERE id = $1 FOR UPDATE", [.tenant(tenant)]),
                Statement(insert, [.tenant(tenant), .bytea(fresh)]),
                Statement(Self.retire, [.tenant(tenant)]),
                Statement(Self.valid, [.tenant(tenant)]),
            ])
            guard let secret = try results[3].decoded(TicketSecret.init).last else {
                throw .decoding(column: "id", expected: "a row")
            }
            return secret
        }
    }

    private static let valid = """
        SELECT id, secret FROM ticket_secret WHERE tenant = $1 AND retired_at IS NULL ORDER BY id
        """

    private static let newestKey = "SELECT coalesce(max(id), 0) FROM api_key"

    private static let livingKeys = """
        SELECT id FROM api_key WHERE tenant = $1 AND revoked_at IS NULL
        """

    private static let first = """
        INSERT INTO ticket_secret (tenant, id, secret)
        SELECT $1, 1, $2 WHERE NOT EXISTS (SELECT FROM ticket_secret WHERE tenant = $1)
        """

    private static let next = """
        INSERT INTO ticket_secret (tenant, id, secret)
        SELECT $1, coalesce(max(id), 0) + 1, $2 FROM ticket_secret WHERE tenant = $1
        """

    private static let retire = """
        UPDATE ticket_secret SET retired_at = clock_timestamp()
        WHERE tenant = $1 AND retired_at IS NULL
            AND id < (SELECT max(id) - 1 FROM ticket_secret WHERE tenant = $1)
        """
}

extension TicketSecret {
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(id: try row.get(0), bytes: try row.get(1))
    }
}
