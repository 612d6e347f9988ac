import Postgres

/// Whether sessions are Islet's own, or shared out by a pooler.
public enum PoolerCheck {
    static let check = DoctorCheck("pooler") { (scene) async throws(PostgresError) in
        let sessions = try await look(scene.pool)
        return .init(
            findings(sessions),
            fine: sessions.isRenamed
                ? "there is one, and sessions are kept apart" : "none in between")
    }

    /// What two sessions at a time showed.
    public struct Sessions: Hashable, Sendable {
        /// The process that answers is not the one that was named when connecting.
        public var isRenamed: Bool
        /// One process answered both.
        public var isShared: Bool

        public init(isRenamed: Bool, isShared: Bool) {
            self.isRenamed = isRenamed
            self.isShared = isShared
        }
    }

    public static func findings(_ sessions: Sessions) -> [Finding] {
        guard sessions.isShared else { return [] }
        return [
            Finding(
                what: "a pooler between Islet and Postgres gives one session to several clients",
                meaning: "Notifications, claims and prepared statements belong to a session: nodes "
                    + "miss news, keep locks of others, and phones wait.",
                remedy: "pool_mode = session for this database in pgbouncer.ini, then RELOAD; or "
                    + "have --database-url lead to Postgres itself")
        ]
    }

    /// A pooler that shares sessions gives the second client the one that the first has just used,
    /// and the first another one, while the second is in the middle of a transaction.
    private static func look(_ pool: Pool) async throws(PostgresError) -> Sessions {
        let first = try await pool.openDedicated()
        let second = try await pool.openDedicated()
        let before = try await processID(first)
        try await second.script("BEGIN")
        let others = try await processID(second)
        let after = try await processID(first)
        let announced = await first.announcedProcessID
        try await second.script("ROLLBACK")
        await first.close()
        await second.close()
        return Sessions(
            isRenamed: announced != before,
            isShared: before == others || before != after || others == after)
    }

    private static func processID(_ connection: Connection) async throws(PostgresError) -> Int32 {
        try await connection.query(
            "SELECT pg_backend_pid()", timeout: .seconds(Limits.doctorSecondsMax)
        ).first?.get(0) ?? 0
    }
}
