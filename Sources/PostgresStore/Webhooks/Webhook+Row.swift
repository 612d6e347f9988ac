import Domain
import EventStore
import Postgres

extension Webhook {
    /// For `init(_: Row)`, of `webhook w`.
    static let columns = """
        w.tenant, w.id, w.url, array_to_string(w.kinds, ','), array_to_string(w.phases, ','),
        w.created_at, w.disabled_by, w.disabled_at, w.failures, w.failing_since, w.paused_until,
        w.last_failure
        """
    static let columnCount = 12

    init(_ row: Row) throws(PostgresError) {
        self.init(
            tenant: try row.tenant(0), id: try row.get(1), url: try row.get(2),
            kinds: Self.list(try row.get(3)),
            phases: Self.list(try row.get(4)).compactMap(Phase.init),
            createdAt: try row.moment(5), stop: try row.optionalChoice(6),
            stoppedAt: try row.optionalMoment(7),
            health: WebhookHealth(
                failures: Int(try row.get(8, as: Int32.self)),
                failingSince: try row.optionalMoment(9), pausedUntil: try row.optionalMoment(10),
                lastFailure: try row.optional(11)))
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map(String.init)
    }
}

extension WebhookFigures {
    /// Of `webhook w`.
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

    init(_ row: Row, from first: Int) throws(PostgresError) {
        self.init(
            delivered: try row.get(first), failed: try row.get(first + 1),
            deliveredAt: try row.optionalMoment(first + 2), waiting: try row.get(first + 3),
            givenUp: try row.get(first + 4), behind: try row.get(first + 5))
    }
}

extension WebhookSecret {
    /// For `init(_: Row)`, of `webhook_secret s`.
    static let columns = "s.tenant, s.webhook_id, s.id, s.sealed, s.master_key_id, s.ends_at"

    init(_ row: Row) throws(PostgresError) {
        self.init(
            tenant: try row.tenant(0), webhookID: try row.get(1), id: try row.get(2),
            sealed: try row.get(3), masterKeyID: try row.get(4), endsAt: try row.optionalMoment(5))
    }
}

extension WebhookLease {
    /// For `init(_: Row)`, of `webhook w`.
    static let columns = """
        \(Webhook.columns), w.lease, w.position, w.notice, (SELECT epoch FROM log_identity),
        \(RejectionProgress.columns)
        """

    /// - Parameter row: with what the clock said as its last column.
    init(_ row: Row) throws(PostgresError) {
        let next = Webhook.columnCount
        self.init(
            webhook: try Webhook(row), name: try row.get(next),
            takenAt: try row.moment(next + 4 + RejectionProgress.columnCount),
            place: .init(position: try row.get(next + 1), notice: try row.get(next + 2)),
            epoch: try row.get(next + 3),
            rejections: try RejectionProgress(row, from: next + 4))
    }
}

extension WaitingMessage {
    /// For `init(_: Row)`, of `webhook_message m`.
    static let columns = "m.activity_id, m.after_version, m.version, m.attempts, m.first_tried_at"

    init(_ row: Row) throws(PostgresError) {
        self.init(
            activityID: try row.activity(0), after: try row.get(1), version: try row.get(2),
            attempts: Int(try row.get(3, as: Int32.self)), firstTriedAt: try row.moment(4))
    }
}
