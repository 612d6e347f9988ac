import Domain
import EventStore
import Postgres

/// Events that could not be folded and wait for somebody to act.
enum ParkedCheck {
    static let check = DoctorCheck("parked events", needsSchema: true) {
        (scene) async throws(PostgresError) in
        var findings: [Finding] = []
        for row in try await scene.pool.query(question) {
            findings.append(finding(tenant: try row.get(0), count: try row.get(1)))
        }
        return .init(findings, fine: "none")
    }

    static func finding(tenant: String, count: Int64) -> Finding {
        Finding(
            what: "\(count.counted("event")) of \(tenant) could not be folded",
            meaning: "Their activities stand still: phones keep the state before.",
            remedy:
                "islet projections parked --tenant '\(tenant)' says why; then islet projections "
                + "retry, or skip POSITION")
    }

    private static let question = """
        SELECT t.name, count(*) FROM parked_event p
        JOIN tenant t ON t.id = p.tenant
        JOIN projection_checkpoint c ON c.tenant = p.tenant AND c.generation = p.generation
        WHERE NOT p.is_skipped GROUP BY t.id, t.name ORDER BY t.id
        """
}
