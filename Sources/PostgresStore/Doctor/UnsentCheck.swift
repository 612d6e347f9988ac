import Domain
import EventStore
import Postgres

/// Whether somebody carries out what was decided, by the numbers of the metrics `islet_unsent_…`.
enum UnsentCheck {
    static let check = DoctorCheck("unsent changes", needs: .work) {
        (scene) async throws(PostgresError) in
        let unsent = try await scene.pool.query(FleetQueries.unsent).waiting()
        guard unsent.seconds > scene.lagSecondsMax else {
            return .fine(
                unsent.count == 0
                    ? "none"
                    : unsent.count.counted("change waits", "changes wait")
                        + ", none for too long")
        }
        let claims = try await scene.pool.query(FleetQueries.claims).claims()
        let sessions = try await BlockingSession.lasting(BlockingSession.claims, scene.pool)
        return .findings([finding(unsent, claims: claims, sessions)])
    }

    /// - Parameters:
    ///   - claims: activities that nodes have claimed, by the node's name.
    ///   - sessions: sessions of others that have what a sender must claim.
    static func finding(
        _ unsent: FleetFacts.Waiting, claims: [String: Int], _ sessions: [BlockingSession]
    ) -> Finding {
        Finding(
            what: unsent.count.counted("change waits", "changes wait")
                + " to be sent, the first for \(Int(unsent.seconds)) s",
            meaning: "Phones show an old state.", remedy: remedy(claims, sessions))
    }

    private static func remedy(_ claims: [String: Int], _ sessions: [BlockingSession]) -> String {
        if let first = sessions.first {
            return "a session (\(first.name)) has locked what a sender must claim, or keeps a node "
                + "waiting: psql -c 'SELECT pg_terminate_backend(\(first.processID))'"
        }
        guard !claims.isEmpty else {
            return "start a node with --role sender: none has claimed anything; if one runs, its "
                + "log says why sending stopped"
        }
        let nodes = claims.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        return "nodes send, and more waits than they get done: \(nodes.joined(separator: ", ")) "
            + "have claimed activities; if islet apps list and their logs name no trouble with "
            + "APNs, start a further node with --role sender"
    }
}
