import Domain
import EventStore
import Postgres

/// Asked as the service: what is asked for a tenant may not read secrets.
struct PostgresTicketStore: TicketStore {
    let pool: Pool
    private let lookups: BatchedLookups<TenantID, Result<TicketLookup, EventStoreError>>

    init(pool: Pool) {
        self.pool = pool
        lookups = BatchedLookups(pool: pool, read: Self.readLookups)
    }

    func lookUp(ticketsOf tenant: TenantID) async throws(EventStoreError) -> TicketLookup {
        try await asked(try await lookups.value(of: tenant))?.get() ?? .here(TicketRing())
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
        try await withStoreErrors { () async throws(PostgresError) in
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
