import Domain
public import EventStore
import Postgres

/// Tenants of which something was given up that nobody has dealt with: metrics count it and do not
/// say whose it is.
public enum DeadLettersCheck {
    static let check = DoctorCheck("dead letters", needs: .tables) {
        (scene) async throws(PostgresError) in
        var given: [GivenUp] = []
        for row in try await scene.pool.query(DeadLetterQueries.ofTenants) {
            let tenant = try row.text(0)
            if given.last?.tenant.hasBytes(of: tenant) != true {
                given.append(GivenUp(tenant: tenant, counts: [:]))
            }
            given[given.count - 1].counts[try row.choice(1)] = try row.get(2)
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
