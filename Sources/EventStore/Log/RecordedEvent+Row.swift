import Domain
import Postgres

extension RecordedEvent {
    /// For `init(_: Row)`.
    static let columns = """
        tenant, position, version, recorded_at, event_id, source, type, schema_version,
        activity_id, occurred_at, data
        """

    init(_ row: Row) throws(PostgresError) {
        self.init(
            tenant: try row.tenant(0), position: try row.get(1), version: try row.get(2),
            recordedAt: try row.moment(3),
            event: NewEvent(
                id: try row.get(4), source: try row.get(5), type: try row.get(6),
                schemaVersion: try row.get(7), activityID: try row.activity(8),
                occurredAt: try row.moment(9), data: try row.get(10)))
    }
}
