import Domain
import Postgres

extension CardTally {
    /// One row for each reason not to serve a card: its name, how many cards, and how many tokens
    /// were looked at, of those that were not served first. If all of these belong to cards that
    /// are served, the one row has no name. What was last said of an installation's tokens is said
    /// of its card, and a token that another one took the place of says least. Without an
    /// installation only the newest token of a card has no successor; that is as of today, also
    /// where $3 is earlier. $1 tenant, $2 activity, $3 time or null for now.
    static let sql = """
        WITH looked AS MATERIALIZED (
            SELECT r.id, r.installation, r.closed_at, r.closed_by, r.dead_at, r.is_unfit,
                r.has_successor, \(moment) AS at,
                CASE WHEN r.installation IS NULL THEN r.id END AS lone
            FROM registration r
            WHERE r.tenant = $1 AND r.activity_id = $2
                AND (r.closed_at IS NOT NULL OR r.dead_at IS NOT NULL)
                AND least(r.closed_at, r.dead_at) <= \(moment)
            ORDER BY least(r.closed_at, r.dead_at) LIMIT \(Domain.Limits.countedMax)
        ), card AS MATERIALIZED (
            SELECT DISTINCT ON (r.installation, r.lone) r.installation, r.at,
                \(reason(ifClosed: "r.closed_at <= r.at")) AS reason
            FROM looked r
            WHERE (r.installation IS NULL AND (r.has_successor OR \(isReplaced))) IS NOT TRUE
            ORDER BY r.installation, r.lone, (\(isReplaced)) IS TRUE,
                least(r.closed_at, r.dead_at) DESC, r.id DESC
        ), unserved AS (
            SELECT c.reason FROM card c
            WHERE NOT EXISTS (
                SELECT FROM registration o
                WHERE o.tenant = $1 AND o.activity_id = $2
                    AND o.installation = c.installation AND o.registered_at <= c.at
                    AND (least(o.closed_at, o.dead_at) <= c.at) IS NOT TRUE
                OFFSET 0
            )
        )
        SELECT u.reason, count(u.reason), l.found
        FROM (SELECT count(*) AS found FROM looked) l LEFT JOIN unserved u ON true
        GROUP BY u.reason, l.found
        """

    private static let isReplaced = "r.closed_at <= r.at AND r.closed_by = 'replaced'"

    /// The name of the reason not to serve a card `r`.
    static func reason(ifClosed condition: String) -> String {
        """
        CASE WHEN \(condition) THEN r.closed_by WHEN r.is_unfit THEN '\(unfitName)'
            ELSE '\(deadName)' END
        """
    }

    private static let moment = "coalesce($3::timestamptz, statement_timestamp())"

    private static let deadName = "dead"
    private static let unfitName = "unfit"

    init(_ rows: Rows) throws(PostgresError) {
        self.init()
        for row in rows {
            let count: Int = try row.get(1)
            isCutShort = try row.get(2, as: Int.self) >= Domain.Limits.countedMax
            guard let name = try row.optional(0, as: String.self) else { continue }
            if name == Self.deadName {
                dead = count
            } else if name == Self.unfitName {
                unfit = count
            } else if let closing = Closing(rawValue: name) {
                closed[closing] = count
            } else {
                throw .decoding(column: "closed_by", expected: "a reason for closing")
            }
        }
        isCutShort = isCutShort && self.count < Domain.Limits.countedMax
    }
}
