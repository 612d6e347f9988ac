import Domain
import EventStore
import Postgres

extension Channel {
    /// For `init(_: Row)`, of `channel c`.
    static let columns = """
        c.id, c.tenant, c.activity_id, c.bundle_id, c.environment, c.storage, c.state, c.channel_id,
        c.sent_version, c.attempts, c.retry_at, c.last_failure, c.wanted_at, c.opened_at
        """
    static let columnCount = 14

    init(_ row: Row) throws(PostgresError) {
        self.init(
            id: try row.int8(0), tenant: try row.tenant(1), activityID: try row.activity(2),
            app: ChannelApp(bundleID: try row.text(3), environment: try row.choice(4)),
            storage: try row.choice(5), state: try row.choice(6),
            channelID: try row.optionalText(7),
            sentVersion: try row.int8(8), attempts: try row.get(9),
            retryAt: try row.optionalMoment(10), lastFailure: try row.optionalText(11),
            wantedAt: try row.moment(12), openedAt: try row.optionalMoment(13))
    }
}

extension ChannelTask {
    /// A row of `ChannelQueries.take`.
    init(_ row: Row) throws(PostgresError) {
        let first = Channel.columnCount
        let activity: ActivityStanding
        if let phase = try row.optional(first, as: String.self) {
            activity =
                phase == Phase.ended.rawValue
                ? .ended(cardGoneAt: try row.moment(first + 1)) : .live
        } else {
            activity = .unknown
        }
        self.init(
            channel: try Channel(row), activity: activity, takenAt: try row.moment(first + 2))
    }
}
