import Domain
import Postgres

extension PhonesBehind {
    /// $1 tenant, $2 activity. The card that took the place of another one has what that one had.
    static let sql = """
        SELECT r.caught_up_from, r.caught_up_to, count(*), (
            SELECT s.last_timestamp FROM delivery_state s
            WHERE s.tenant = $1 AND s.activity_id = $2
        ), coalesce(r.registered_at > missed.decided_at, false)
        FROM (
            SELECT r.caught_up_from, r.caught_up_to, r.registered_at FROM registration r
            WHERE r.tenant = $1 AND r.activity_id = $2 AND r.caught_up_from IS NOT NULL
                AND r.closed_by IS DISTINCT FROM 'replaced'
            ORDER BY r.caught_up_from LIMIT \(Domain.Limits.countedMax)
        ) r
        LEFT JOIN LATERAL (
            SELECT d.decided_at FROM decision d
            WHERE d.tenant = $1 AND d.activity_id = $2 AND d.version > r.caught_up_from
            ORDER BY d.version LIMIT 1
        ) missed ON true
        GROUP BY 1, 2, 5
        """

    /// The version that a registration `r`, to which a push has failed, has had. A phone has not
    /// missed what was decided before its app registered.
    static let versionHad = """
        greatest(r.sent_version, (
            SELECT max(d.version) FROM decision d
            WHERE d.tenant = r.tenant AND d.activity_id = r.activity_id
                AND d.decided_at < r.registered_at
        ))
        """

    /// Those that APNs refused for good, or whose token it refused, and how they stand since. And
    /// those that wait for another try, but for those that wait because nothing is sent for their
    /// app. $1 tenant, $2 activity. Each sort by its own index, the last that were refused; no
    /// index has the waiting ones alone, which are looked for among some.
    static let refusing = """
        SELECT r.* FROM (
            (
                SELECT \(refusal), r.dead_at, r.closed_at FROM (
                    SELECT * FROM registration r
                    WHERE r.tenant = $1 AND r.activity_id = $2
                        AND (r.closed_at IS NOT NULL OR r.dead_at IS NOT NULL)
                    ORDER BY least(r.closed_at, r.dead_at) DESC LIMIT \(Limits.refusedPhonesMax)
                ) r
                WHERE r.dead_at IS NOT NULL
            ) UNION ALL (
                SELECT \(refusal), r.given_up_at, r.closed_at FROM registration r
                WHERE r.tenant = $1 AND r.activity_id = $2 AND \(DeadLetterQueries.isPush)
                    AND r.dead_at IS NULL
                ORDER BY r.given_up_at DESC LIMIT \(Limits.refusedPhonesMax)
            ) UNION ALL (
                SELECT \(refusal), NULL::timestamptz, r.closed_at FROM (
                    SELECT * FROM registration r
                    WHERE r.tenant = $1 AND r.activity_id = $2 AND r.dead_at IS NULL
                        AND r.closed_at IS NULL
                    ORDER BY r.id LIMIT \(Limits.servedPhonesReadMax)
                ) r
                WHERE r.retry_at IS NOT NULL AND r.last_failure IS NOT NULL
                    AND r.last_failure NOT IN (\(AppQueries.suspensions))
            )
        ) r
        """

    private static let refusal = "coalesce(r.last_failure, ''), r.sent_version, r.registered_at"

    /// - Parameter results: of `sql` and of `refusing`.
    init(_ results: [Rows]) throws(PostgresError) {
        self.init()
        refusals = try results[1].decoded(Refusal.init)
        for row in results[0] {
            let span = Span(
                after: try row.int8(0), through: try row.int8(1), registeredSince: try row.get(4))
            counts[span] = try row.get(2)
            lastTimestamp = try row.optional(3, as: Int64.self)
        }
    }
}

extension PhonesBehind.Refusal: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            reason: row.get(), after: row.get(), registeredAt: row.moment(),
            refusedAt: row.optionalMoment(), closedAt: row.optionalMoment())
    }
}
