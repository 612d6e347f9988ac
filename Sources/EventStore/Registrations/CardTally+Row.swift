import Domain
import Postgres

extension CardTally {
    /// One row for each reason not to serve a card: its name, and how many cards.
    /// $1 tenant, $2 activity, $3 time or null for now.
    static let sql = """
        WITH moment AS (SELECT coalesce($3::timestamptz, clock_timestamp()) AS at)
        SELECT CASE WHEN r.closed_at <= m.at THEN r.closed_by WHEN r.is_unfit THEN '\(unfitName)'
            ELSE '\(deadName)' END, count(*)
        FROM registration r, moment m
        WHERE r.tenant = $1 AND r.activity_id = $2 AND (r.closed_at <= m.at OR r.dead_at <= m.at)
        GROUP BY 1
        """

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
