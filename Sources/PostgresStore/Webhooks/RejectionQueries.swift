import Domain
import EventStore
import Postgres

/// Where it says which push tokens APNs rejected.
enum RejectionQueries {
    /// Of `webhook w`, by a clock: whether there is something to tell. While a message waits there
    /// is nothing else. The first after the place is asked for, and not whether there is one: that
    /// a planner looks up, where it would go through all phones for any.
    static func isDue(_ clock: String) -> String {
        """
        CASE WHEN w.rejection_retry_at IS NULL THEN (
            SELECT r.given_up_at FROM registration r
            WHERE r.tenant = w.tenant AND \(isRejected)
                AND (r.given_up_at, r.id) > (w.rejection_at, w.rejection_id)
            ORDER BY r.given_up_at, r.id LIMIT 1
        ) <= \(clock) - \(lag) ELSE w.rejection_retry_at <= \(clock) END
        """
    }

    /// $1 tenant, $2 and $3 the place to begin after, $4 and $5 the place to end with, or null for
    /// all that are old enough, $6 now or null, $7 limit.
    static let page = """
        SELECT r.given_up_at, r.id, r.activity_id, r.bundle_id, r.environment,
            coalesce(r.last_failure, ''), s.kind, s.phase
        FROM (
            SELECT * FROM registration r
            WHERE r.tenant = $1 AND \(isRejected)
                AND (r.given_up_at, r.id) > ($2::timestamptz, $3::int8)
                AND (r.given_up_at, r.id) <= (
                    coalesce($4::timestamptz, \(WebhookQueries.clock("$6")) - \(lag)),
                    coalesce($5::int8, \(Int64.max))
                )
            ORDER BY r.given_up_at, r.id LIMIT $7
        ) r LEFT JOIN LATERAL (
            SELECT kind, phase FROM snapshot
            WHERE tenant = $1 AND generation = live_generation($1) AND activity_id = r.activity_id
            LIMIT 1
        ) s ON true
        ORDER BY r.given_up_at, r.id
        """

    /// As the index `registration_rejected` has it. One that registered again is not rejected any
    /// more, and neither is one that was dismissed.
    private static let isRejected = """
        r.is_unfit AND r.given_up_at IS NOT NULL AND r.closed_at IS NULL
        """
    private static let lag = "interval '\(Limits.rejectionLagSeconds) s'"
}

extension RejectionProgress: RowDecodable {
    /// Of `webhook w`, as `init(from:)` reads them.
    static let columns = """
        w.rejection_at, w.rejection_id, w.rejection_upto_at, w.rejection_upto_id,
        w.rejection_attempts, w.rejection_first_tried_at, w.rejection_retry_at
        """

    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(place: RejectedToken.Place(from: &row))
        // What waits has all of the rest, and else there is nothing of it.
        guard let uptoAt = try row.optionalMoment() else {
            row.skip(4)
            return
        }
        waiting = Waiting(
            upto: RejectedToken.Place(rejectedAt: uptoAt, registrationID: try row.get()),
            attempts: try row.get(), firstTriedAt: try row.moment(), retryAt: try row.moment())
    }

    /// In the order of the columns.
    var parameters: [Parameter] {
        [
            .moment(place.rejectedAt), .int8(place.registrationID),
            .moment(waiting?.upto.rejectedAt), .int8(waiting?.upto.registrationID),
            .int4(waiting.map { Int32(clamping: $0.attempts) }), .moment(waiting?.firstTriedAt),
            .moment(waiting?.retryAt),
        ]
    }
}

extension RejectionPage {
    /// What is to be sent under the lease, if it is time for that.
    static func statement(_ lease: WebhookLease, _ now: Moment?) -> Statement? {
        let (place, waiting) = (lease.rejections.place, lease.rejections.waiting)
        if let waiting, waiting.retryAt > lease.takenAt { return nil }
        return Statement(
            RejectionQueries.page,
            [
                .tenant(lease.webhook.tenant), .moment(place.rejectedAt),
                .int8(place.registrationID), .moment(waiting?.upto.rejectedAt),
                .int8(waiting?.upto.registrationID), .moment(now),
                .count(Limits.rejectionsPerMessageMax),
            ])
    }

    /// - Parameter rows: what the statement gave.
    /// - Returns: nil when there is nothing to deal with.
    init?(_ rows: Rows, _ lease: WebhookLease) throws(PostgresError) {
        let places = try rows.decoded { (row) throws(PostgresError) in
            try RejectedToken.Place(row, from: 0)
        }
        // All phones of a message that waits may have registered again: then it is dealt with.
        let end = rows.count < Limits.rejectionsPerMessageMax ? lease.rejections.waiting?.upto : nil
        guard let upto = end ?? places.last else { return nil }
        self.init(tokens: [], upto: upto)
        for row in rows where try Self.isWanted(row, lease.webhook) {
            tokens.append(try RejectedToken(row))
        }
    }

    private static func isWanted(_ row: Row, _ webhook: Webhook) throws(PostgresError) -> Bool {
        guard let kind = try row.optional(6, as: String.self) else { return true }
        return webhook.wants(kind: kind, phase: try row.choice(7))
    }
}

extension RejectedToken: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        let place = try Place(from: &row)
        try self.init(
            place: place, activityID: row.activity(), bundleID: row.get(),
            environment: row.choice(), reason: row.get(),
            deadLetter: DeadLetter.ID(carrier: .push, number: place.registrationID).text)
    }
}

extension RejectedToken.Place: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(rejectedAt: row.moment(), registrationID: row.get())
    }
}
