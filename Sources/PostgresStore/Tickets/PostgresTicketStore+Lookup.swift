import Domain
import EventStore
import Postgres

/// What presented tickets depend on.
extension PostgresTicketStore {
    @Sendable
    static func readLookups(
        _ pool: Pool, _ tenants: Set<TenantID>
    ) async throws(PostgresError) -> [TenantID: Result<TicketLookup, EventStoreError>] {
        let asked = Parameter.int4s(tenants.map(\.rawValue))
        // The newest first: of a key that is added in between nothing is known.
        let results = try await pool.batch([
            Statement("SELECT coalesce(max(id), 0) FROM api_key"), Statement(livingKeys, [asked]),
            Statement(validSecrets, [asked]), Statement(tenantLimits, [asked]),
            Statement(departures, [asked]),
        ])
        let empty = TicketRing(newestKeyID: try results[0].first?.get(0) ?? 0)
        var rings = Dictionary(uniqueKeysWithValues: tenants.map { ($0, empty) })
        for row in results[1] {
            rings[try row.tenant(0)]?.livingKeys.insert(try row.get(1))
        }
        for row in results[2] {
            rings[try row.tenant(0)]?.secrets.append(try TicketSecret(row, from: 1))
        }
        for row in results[3] {
            rings[try row.tenant(0)]?.limits = try TenantLimits(row, from: 1)
        }
        var lookups = rings.mapValues {
            Result<TicketLookup, EventStoreError>.success(.here($0))
        }
        for row in results[4] {
            let tenant = try row.tenant(0)
            // One that has come back signs again.
            guard rings[tenant]?.secrets.isEmpty ?? true else { continue }
            lookups[tenant] =
                try row.bool(1)
                ? .failure(.betweenCells) : .success(.departed(to: try Cell(row, from: 2)))
        }
        return lookups
    }

    /// A ticket ends with its key at the latest.
    private static let livingKeys = """
        SELECT tenant, id FROM api_key
        WHERE tenant = ANY ($1) AND \(PostgresTenantStore.isInForce)
        """

    private static let validSecrets = """
        SELECT tenant, id, secret FROM ticket_secret
        WHERE tenant = ANY ($1) AND retired_at IS NULL ORDER BY id
        """

    private static let tenantLimits = """
        SELECT tenant, \(TenantLimits.columns) FROM tenant_limit l WHERE tenant = ANY ($1)
        """

    private static let departures = """
        SELECT d.tenant, \(Cell.isNowhere), \(Cell.columns)
        FROM departed_tenant d JOIN cell c ON c.name = d.cell
        WHERE d.tenant = ANY ($1)
        """
}

extension TicketSecret: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(id: row.get(), bytes: row.get())
    }
}
