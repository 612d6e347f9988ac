import Domain
import Postgres

/// Events that could not be folded and wait for somebody to act.
public enum ParkedCheck {
    static let check = DoctorCheck("parked events", needs: .tables) {
        (scene) async throws(PostgresError) in
        let parked = try await scene.pool.query(question).decoded {
            (row) throws(PostgresError) in
            Parked(tenant: try row.text(0), blocking: try row.get(1), alone: try row.get(2))
        }
        return .init(findings(parked), fine: "none")
    }

    /// A tenant's events that are parked and not skipped.
    public struct Parked: Hashable, Sendable {
        public var tenant: String
        /// Of activities that stand still.
        public var blocking: Int64
        /// Of activities that go on: what belongs to another kind is parked by itself.
        public var alone: Int64
    }

    public static func findings(_ parked: [Parked]) -> [Finding] {
        parked.flatMap { tenant in
            [
                tenant.blocking > 0 ? blocking(tenant.blocking, of: tenant.tenant) : nil,
                tenant.alone > 0 ? alone(tenant.alone, of: tenant.tenant) : nil,
            ].compactMap { $0 }
        }
    }

    private static func blocking(_ count: Int64, of tenant: String) -> Finding {
        Finding(
            what: "\(count.counted("event")) of \(tenant) could not be folded",
            meaning: "Their activities stand still: phones keep the state before.",
            remedy:
                "islet projections parked --tenant \(tenant.inShell) says why; then islet "
                + "projections retry --tenant \(tenant.inShell), or skip POSITION --tenant "
                + tenant.inShell)
    }

    private static func alone(_ count: Int64, of tenant: String) -> Finding {
        Finding(
            what: "\(count.counted("event")) of \(tenant) "
                + (count == 1 ? "names an activity" : "name activities") + " of another kind",
            meaning: "The activities go on without what was reported.",
            remedy:
                "islet projections parked --tenant \(tenant.inShell) says which; report the facts "
                + "under other ids, then islet projections skip POSITION --tenant "
                + tenant.inShell)
    }

    private static let question = """
        SELECT t.name, count(*) FILTER (WHERE s.fault IS NOT NULL),
            count(*) FILTER (WHERE s.fault IS NULL)
        FROM parked_event p
        JOIN tenant t ON t.id = p.tenant
        JOIN projection_checkpoint c ON c.tenant = p.tenant AND c.generation = p.generation
        LEFT JOIN snapshot s ON s.tenant = p.tenant AND s.generation = p.generation
            AND s.activity_id = p.activity_id
        WHERE NOT p.is_skipped GROUP BY t.id, t.name ORDER BY t.id
        """
}
