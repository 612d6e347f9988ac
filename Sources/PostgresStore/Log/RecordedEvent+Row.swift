import Domain
import EventStore
import Postgres

extension RecordedEvent {
    /// For `init(_: Row)`.
    static let columns = """
        tenant, position, version, recorded_at, event_id, source, type, schema_version,
        activity_id, occurred_at, data, extensions
        """

    init(_ row: Row) throws(PostgresError) { try self.init(row, from: 0) }

    init(_ row: Row, from first: Int) throws(PostgresError) {
        self.init(
            tenant: try row.tenant(first), position: try row.get(first + 1),
            version: try row.get(first + 2),
            recordedAt: try row.moment(first + 3),
            event: NewEvent(
                id: try row.get(first + 4), source: try row.get(first + 5),
                type: try row.get(first + 6),
                schemaVersion: try row.get(first + 7), activityID: try row.activity(first + 8),
                occurredAt: try row.moment(first + 9), data: try row.get(first + 10),
                extensions: try row.optional(first + 11)))
    }
}
