import Postgres

/// Whether sessions are Islet's own, or shared out by a pooler. Who connects finds that out by
/// itself, so that it shows among the hosts.
enum PoolerCheck {
    static let check = DoctorCheck("pooler") { (scene) async throws(PostgresError) in
        let isBetween = try await scene.pool.withConnection { await $0.isBehindPooler }
        return .fine(isBetween ? "there is one, and sessions are kept apart" : "none in between")
    }

    static func finding(host: String) -> Finding {
        Finding(
            what: "a pooler at \(host) gives one session to several clients",
            meaning: "Notifications, claims and prepared statements belong to a session: no node "
                + "starts with it, and one that runs connects no more.",
            remedy: "pool_mode = session for this database in pgbouncer.ini, then RELOAD; or "
                + "have --database-url lead to Postgres itself")
    }
}
