import Domain
import Postgres

/// Whether pushes to phones fail again and again, as while APNs is away or takes none. Which host a
/// node cannot reach the database does not know; phones that wait for a stopped app are named with
/// the app.
public enum OwedCheck {
    static let check = DoctorCheck("owed phones", needs: .work) {
        (scene) async throws(PostgresError) in
        let row = try await scene.pool.query(question).row(with: "count")
        let count: Int = try row.get(0)
        return .init(
            findings(count: count, reason: try row.optionalText(1) ?? ""),
            fine: "none whose pushes keep failing")
    }

    /// - Parameter reason: the most frequent one.
    public static func findings(count: Int, reason: String) -> [Finding] {
        guard count > 0 else { return [] }
        return [
            Finding(
                what: count.counted("phone waits", "phones wait")
                    + " for a push that has failed \(attemptsMin) times or more (\(reason))",
                meaning: "They show an old state until a try succeeds. If APNs cannot be reached "
                    + "or takes no pushes, everything waits for it, and nothing is lost.",
                remedy: "docs/runbooks/IsletAPNsFailing.md if the reason is an answer of APNs, "
                    + "such as InternalServerError; docs/runbooks/IsletAPNsAway.md if it is not "
                    + "reached; on a machine that sends, islet doctor with --master-key-file or "
                    + "--apns-key-file asks APNs itself")
        ]
    }

    /// One or two failures pass by themselves.
    private static let attemptsMin = 3

    private static let question = """
        SELECT count(*), mode() WITHIN GROUP (ORDER BY w.last_failure) FROM (
            SELECT r.last_failure FROM registration r
            WHERE r.retry_at IS NOT NULL AND r.attempts >= \(attemptsMin)
                AND r.last_failure NOT IN (\(AppQueries.suspensions))
            LIMIT \(Limits.fleetCountMax)
        ) w
        """
}
