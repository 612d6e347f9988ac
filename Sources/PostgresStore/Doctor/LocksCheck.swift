import Postgres

/// Sessions that keep others waiting, or lock whole tables. Asks no table, so that it is answered
/// whatever they have locked.
public enum LocksCheck {
    static let check = DoctorCheck("locks") { (scene) async throws(PostgresError) in
        let sessions = try await BlockingSession.lasting(BlockingSession.tables, scene.pool)
        return .init(findings(sessions), fine: "keep nobody waiting")
    }

    public static func findings(_ sessions: [BlockingSession]) -> [Finding] {
        sessions.map { session in
            let since = session.seconds.map { " for \(Int($0)) s" } ?? ""
            return Finding(
                what: "the session \(session.processID) (\(session.name)) has had a transaction "
                    + "open\(since), and keeps others waiting or locks a table",
                meaning: "Calls that need what it has locked fail after seconds, and checks below "
                    + "may get no answer.",
                remedy: "end the transaction where it was begun, or as an administrator: psql -c "
                    + "'SELECT pg_terminate_backend(\(session.processID))'")
        }
    }
}
