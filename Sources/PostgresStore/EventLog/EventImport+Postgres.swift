import Domain
public import EventStore
public import Postgres

extension EventImport {
    /// Expects a migrated database.
    public static func postgres(_ pool: Pool) -> EventImport {
        EventImport { (tenant, imported) async throws(EventStoreError) in
            guard !imported.isEmpty else { return [] }
            return try await withStoreErrors { () async throws(PostgresError) in
                let rows = try await pool.query(
                    "SELECT * FROM import_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
                    parameters(tenant, imported),
                    timeout: .seconds(Limits.importTimeoutSeconds))
                return try AppendResult.decode(rows, count: imported.count)
            }
        }
    }

    private static func parameters(
        _ tenant: TenantID, _ imported: [ImportedEvent]
    ) -> [Parameter] {
        let events = imported.map(\.event)
        return [
            .tenant(tenant), .texts(events.map(\.activityID.rawValue)),
            .texts(events.map(\.source)), .texts(events.map(\.id)), .texts(events.map(\.type)),
            .int4s(events.map { Int32(clamping: $0.schemaVersion) }),
            .timestamps(events.map(\.occurredAt.timestamp)),
            .timestamps(imported.map(\.recordedAt.timestamp)), .jsonbs(events.map(\.data)),
            .jsonbs(events.map(\.extensions)),
        ]
    }
}
