import Domain
import Postgres

extension Channel: RowDecodable {
    /// Of `channel c`, as `init(from:)` reads them.
    static let columns = """
        c.id, c.tenant, c.activity_id, c.bundle_id, c.environment, c.storage, c.state, c.channel_id,
        c.sent_version, c.attempts, c.retry_at, c.last_failure, c.wanted_at, c.opened_at
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            id: row.get(), tenant: row.tenant(), activityID: row.activity(),
            app: AppInEnvironment(bundleID: row.get(), environment: row.choice()),
            storage: row.choice(), state: row.choice(), channelID: row.optional(),
            sentVersion: row.get(), attempts: row.get(), retryAt: row.optionalMoment(),
            lastFailure: row.optional(), wantedAt: row.moment(),
            openedAt: row.optionalMoment())
    }
}

extension ChannelTask: RowDecodable {
    /// A row of `ChannelQueries.take`.
    init(from row: inout RowReader) throws(PostgresError) {
        let channel = try Channel(from: &row)
        let phase: Phase? = try row.optionalChoice()
        let goneAt = try row.optionalMoment()
        let activity: ChannelActivity =
            switch (phase, goneAt) {
            case (nil, _): .unknown
            case (.ended, let goneAt?): .ended(cardGoneAt: goneAt)
            case (.ended, nil): throw .decoding(column: "card_gone_at", expected: "a time")
            default: .live
            }
        try self.init(channel: channel, activity: activity, takenAt: row.moment())
    }
}
