import Domain
import Postgres

extension RecordedEvent: RowDecodable {
    /// As `init(from:)` reads them.
    static let columns = """
        tenant, position, version, recorded_at, event_id, source, type, schema_version,
        activity_id, occurred_at, data, extensions
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: row.tenant(), position: row.get(), version: row.get(),
            recordedAt: row.moment(),
            event: NewEvent(
                id: row.get(), source: row.get(), type: row.get(), schemaVersion: row.get(),
                activityID: row.activity(), occurredAt: row.moment(), data: row.get(),
                extensions: row.optional()))
    }
}
