import Domain
import Postgres

/// Tenants at whose webhooks nothing arrives: metrics count them and do not say whose they are.
public enum WebhooksCheck {
    static let check = DoctorCheck("webhooks", needs: .tables) {
        (scene) async throws(PostgresError) in
        let failing = try await scene.pool.query(question).decoded {
            (row) throws(PostgresError) in
            Failing(tenant: try row.text(0), count: try row.get(1), reason: try row.text(2))
        }
        return .init(findings(failing), fine: "none is failing")
    }

    /// A tenant's webhooks that are on and at which nothing arrives.
    public struct Failing: Hashable, Sendable {
        public var tenant: String
        public var count: Int
        /// The most frequent one.
        public var reason: String
    }

    public static func findings(_ failing: [Failing]) -> [Finding] {
        Finding.ofEach(failing) { one in
            Finding(
                what: "nothing arrives at \(one.count.counted("webhook")) of \(one.tenant) "
                    + "(\(one.reason))",
                meaning: "Islet tries again, later and later, and turns each off in the end.",
                remedy:
                    "islet webhooks list --tenant \(one.tenant.inShell) says which and why; then "
                    + "docs/runbooks/IsletWebhooksFailing.md")
        }
    }

    /// What the next try mends, some seconds later, is no fault.
    private static let question = """
        SELECT t.name, count(*),
            coalesce(mode() WITHIN GROUP (ORDER BY w.last_failure), 'no reason noted')
        FROM webhook w JOIN tenant t ON t.id = w.tenant
        WHERE w.disabled_at IS NULL AND w.failing_since < clock_timestamp() - interval '1 min'
        GROUP BY t.id, t.name ORDER BY count(*) DESC, t.id
        """
}
