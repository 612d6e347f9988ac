import Domain
import EventStore
import Postgres

extension Webhook: RowDecodable {
    /// Columns of `webhook w`, as `init(from:)` reads them.
    static let columns = """
        w.tenant, w.id, w.url, w.kinds, w.phases, w.created_at, w.disabled_by, w.disabled_at,
        w.failures, w.failing_since, w.paused_until, w.last_failure
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: row.tenant(), id: row.get(), url: row.get(),
            kinds: row.get(as: ColumnArray<String>.self).values,
            phases: row.get(as: ColumnArray<String>.self).values.compactMap(Phase.init),
            createdAt: row.moment(),
            stop: row.optionalChoice(), stoppedAt: row.optionalMoment(),
            health: WebhookHealth(
                failures: row.get(), failingSince: row.optionalMoment(),
                pausedUntil: row.optionalMoment(), lastFailure: row.optional()))
    }
}

extension WebhookFigures: RowDecodable {
    /// Columns of `webhook w`.
    static let columns = """
        w.delivered, w.failed, w.delivered_at,
        \(messages("m.given_up_at IS NULL")) + (w.rejection_retry_at IS NOT NULL)::int4,
        \(messages("m.given_up_at IS NOT NULL")),
        greatest(0, coalesce((
            SELECT c.position FROM projection_checkpoint c WHERE c.tenant = w.tenant
        ), 0) - w.position)
        """

    private static func messages(_ condition: String) -> String {
        """
        (SELECT count(*) FROM (
            SELECT FROM webhook_message m
            WHERE m.tenant = w.tenant AND m.webhook_id = w.id AND \(condition)
            LIMIT \(Domain.Limits.countedMax)
        ) counted)
        """
    }

    init(from row: inout RowReader) throws(PostgresError) {
        self.init()
        (delivered, failed) = (try row.get(), try row.get())
        deliveredAt = try row.optionalMoment()
        (waiting, givenUp, behind) = (try row.get(), try row.get(), try row.get())
    }
}

extension WebhookSecret: RowDecodable {
    /// Columns of `webhook_secret s`, as `init(from:)` reads them.
    static let columns = "s.tenant, s.webhook_id, s.id, s.sealed, s.master_key_id, s.ends_at"

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            tenant: row.tenant(), webhookID: row.get(), id: row.get(),
            sealed: row.get(), masterKeyID: row.get(), endsAt: row.optionalMoment())
    }
}

extension WebhookLease: RowDecodable {
    /// Columns of `webhook w`, as `init(from:)` reads them.
    static let columns = """
        \(Webhook.columns), w.lease, w.position, w.notice, least(w.backlog_after, w.position),
        (SELECT epoch FROM log_identity), \(RejectionProgress.columns)
        """

    /// - Parameter row: with what the clock said as its last column.
    init(from row: inout RowReader) throws(PostgresError) {
        let (webhook, name): (Webhook, String) = (try Webhook(from: &row), try row.get())
        let place = ActivityChange.Place(position: try row.get(), noticeNumber: try row.get())
        let (allSentUpTo, epoch): (Int64, Int64) = (try row.get(), try row.get())
        let rejections = try RejectionProgress(from: &row)
        try self.init(
            webhook: webhook, name: name, takenAt: row.moment(), place: place,
            allSentUpTo: allSentUpTo, epoch: epoch, rejections: rejections)
    }
}

extension WaitingMessage: RowDecodable {
    /// Columns of `webhook_message m`, as `init(from:)` reads them.
    static let columns = "m.activity_id, m.after_version, m.version, m.attempts, m.first_tried_at"

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            activityID: row.activity(), after: row.get(), version: row.get(),
            attempts: row.get(), firstTriedAt: row.moment())
    }
}
