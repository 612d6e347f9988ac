import Domain
import Postgres

extension CardTally {
    /// One row for each reason not to serve a card: its name, and how many cards, of those that
    /// were not served first. $1 tenant, $2 activity, $3 time or null for now.
    static let sql = """
        SELECT \(reason(ifClosed: "r.closed_at <= r.at")), count(*)
        FROM (
            SELECT r.closed_at, r.closed_by, r.is_unfit, \(moment) AS at FROM registration r
            WHERE r.tenant = $1 AND r.activity_id = $2
                AND (r.closed_at IS NOT NULL OR r.dead_at IS NOT NULL)
                AND least(r.closed_at, r.dead_at) <= \(moment)
            ORDER BY least(r.closed_at, r.dead_at) LIMIT \(Domain.Limits.countedMax)
        ) r
        GROUP BY 1
        """

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
            let name: String = try row.get(0)
            let count: Int = try row.get(1)
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
    }
}
