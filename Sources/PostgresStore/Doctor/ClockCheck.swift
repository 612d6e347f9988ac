import Domain
import EventStore
import Postgres

/// Whether this machine and the database agree on the time, and the database with what it has
/// written down.
public enum ClockCheck {
    static let check = DoctorCheck("time") { (scene) async throws(PostgresError) in
        // The first question may have to connect.
        _ = try await scene.pool.query("SELECT 1")
        let before = scene.now()
        let theirs = try await scene.pool.time()
        let after = scene.now()
        let trip = after.seconds(since: before)
        let ahead = after.seconds(since: theirs) - trip / 2
        return .init(
            try await findings(aheadSeconds: ahead, tripSeconds: trip)
                + findings(behindSeconds: behindSeconds(scene.pool)),
            fine: "this machine and the database are within \(rounded(abs(ahead))) s")
    }

    /// Without tables nothing is written down, and what else keeps from reading them is what other
    /// checks are about.
    private static func behindSeconds(_ pool: Pool) async throws(PostgresError) -> Double {
        do throws(PostgresError) {
            let rows = try await pool.query("SELECT \(FleetQueries.clockBehind)")
            return try rows.first?.optional(0) ?? 0
        } catch {
            guard case .server = error else { throw error }
            return 0
        }
    }

    static func findings(behindSeconds seconds: Double) -> [Finding] {
        guard seconds > FleetFacts.clockBehindSecondsMax else { return [] }
        let inconsistency = LogInconsistency.clock(seconds: Int64(seconds))
        return [
            Finding(
                what: LogExplanation.line(inconsistency),
                meaning: "Phones show the later of two pushes by its timestamp, so pushes wait "
                    + "until the clock has come that far. They do not count as unsent.",
                remedy: LogExplanation.remedy(of: [inconsistency]))
        ]
    }

    /// - Parameter tripSeconds: how long the question took, which is how much is not known.
    public static func findings(aheadSeconds: Double, tripSeconds: Double) -> [Finding] {
        guard abs(aheadSeconds) - tripSeconds / 2 > secondsMax else { return [] }
        let (way, seconds) = (aheadSeconds > 0 ? "ahead of" : "behind", rounded(abs(aheadSeconds)))
        return [
            Finding(
                what: "this machine's clock is \(seconds) s \(way) the database's",
                meaning: "Tokens for APNs and tickets go by the node's clock: APNs may refuse the "
                    + "key, and tickets are valid too long or not long enough. Pushes, and what "
                    + "time brings about, go by the database's: if that is wrong, cards end too "
                    + "early or too late.",
                remedy: "timedatectl set-ntp true, on both machines; chronyc tracking shows which "
                    + "is wrong")
        ]
    }

    /// Nobody sees less on a card.
    private static let secondsMax: Double = 5

    private static func rounded(_ seconds: Double) -> String {
        "\((seconds * 10).rounded() / 10)"
    }
}
