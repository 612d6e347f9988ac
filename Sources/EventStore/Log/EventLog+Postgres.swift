import Domain
import Postgres

extension EventLog {
    static func postgres(_ wall: TenantWall, appender: Appender) -> EventLog {
        EventLog(
            append: { (tenant, events) async throws(EventStoreError) in
                try await appender.append(tenant, events)
            },
            read: { (tenant, after, limit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant, readLog, [.tenant(tenant), .int8(after), .count(limit)]
                    ).decoded(RecordedEvent.init)
                }
            },
            readActivity: { (tenant, activity, after, limit) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant, readStream,
                        [.tenant(tenant), .activity(activity), .int8(after), .count(limit)]
                    ).decoded(RecordedEvent.init)
                }
            },
            head: { (tenant) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(as: tenant, readHead, [.tenant(tenant)])
                        .first?.get(0) ?? 0
                }
            })
    }

    static let readLog = """
        SELECT \(RecordedEvent.columns) FROM event
        WHERE tenant = $1 AND position > $2 ORDER BY position LIMIT $3
        """

    private static let readStream = """
        SELECT \(RecordedEvent.columns) FROM event
        WHERE tenant = $1 AND activity_id = $2 AND version > $3 ORDER BY version LIMIT $4
        """

    private static let readHead = "SELECT position FROM log_head WHERE tenant = $1"
}
