import Domain
import Postgres

/// Whether this machine and the database agree on the time.
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
            findings(aheadSeconds: ahead, tripSeconds: trip),
            fine: "this machine and the database are within \(rounded(abs(ahead))) s")
    }

    /// - Parameter tripSeconds: how long the question took, which is how much is not known.
    public static func findings(aheadSeconds: Double, tripSeconds: Double) -> [Finding] {
        guard abs(aheadSeconds) - tripSeconds / 2 > secondsMax else { return [] }
        let (way, seconds) = (aheadSeconds > 0 ? "ahead of" : "behind", rounded(abs(aheadSeconds)))
        return [
            Finding(
                what: "this machine's clock is \(seconds) s \(way) the database's",
                meaning: "Tokens for APNs and tickets go by the node's clock: APNs may refuse the "
                    + "key, and tickets hold too long or not long enough. Pushes, and what time "
                    + "brings about, go by the database's: if that is wrong, cards end too early "
                    + "or too late.",
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
