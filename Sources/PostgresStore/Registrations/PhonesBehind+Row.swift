import Domain
import Postgres

extension PhonesBehind {
    /// $1 tenant, $2 activity.
    static let sql = """
        SELECT r.sent_version, count(*)
        FROM (
            SELECT r.sent_version FROM registration r
            WHERE r.tenant = $1 AND r.activity_id = $2 AND r.last_failure IS NOT NULL
            ORDER BY r.sent_version LIMIT \(Domain.Limits.countedMax)
        ) r
        GROUP BY 1
        """

    init(_ rows: Rows) throws(PostgresError) {
        self.init()
        for row in rows { counts[try row.get(0)] = try row.get(1) }
    }
}
