import Domain
public import EventStore
import Postgres

/// Tenants of which something was given up that nobody has dealt with: metrics count it and do not
/// say whose it is.
public enum DeadLettersCheck {
    static let check = DoctorCheck("dead letters", needs: .tables) {
        (scene) async throws(PostgresError) in
        let given = try await scene.pool.query(DeadLetterQueries.ofTenants).decoded {
            (row) throws(PostgresError) -> GivenUp in
            var one = GivenUp(tenant: try row.text(0), counts: [:])
            for (column, carrier) in DeadLetter.Carrier.allCases.enumerated() {
                one.counts[carrier] = try row.get(column + 1)
            }
            return one
        }
        return .init(findings(given), fine: "none")
    }

    /// What was given up of one tenant.
    public struct GivenUp: Hashable, Sendable {
        public var tenant: String
        /// Of each carrier up to `Limits.countedMax`.
        public var counts: [DeadLetter.Carrier: Int]
    }

    public static func findings(_ given: [GivenUp]) -> [Finding] {
        Finding.ofEach(given) { one in
            let counts = DeadLetter.Carrier.allCases.compactMap { carrier -> String? in
                guard let count = one.counts[carrier], count > 0 else { return nil }
                return "\(count.orMore) by \(carrier.rawValue)"
            }
            let tenant = one.tenant.inShell
            return Finding(
                what: "\(one.tenant) has dead letters: \(counts.joined(separator: ", "))",
                meaning: "They are not sent again by themselves.",
                remedy:
                    "islet dead-letters list --tenant \(tenant) says why; then islet dead-letters "
                    + "retry ID --tenant \(tenant), or dismiss ID --tenant \(tenant)")
        }
    }
}
