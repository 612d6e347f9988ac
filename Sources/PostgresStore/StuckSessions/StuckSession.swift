import EventLoop
import EventStore
import Postgres

/// A session that waits for its process in the middle of a statement, and has locked or written
/// something. Nodes end it by themselves; `LocksCheck` shows operators the sessions of others too.
struct StuckSession: Hashable, RowDecodable {
    var pid: Int32
    /// Another one once the session has moved on, or the number is another session's.
    var place: String

    init(from row: inout RowReader) throws(PostgresError) {
        (pid, place) = (try row.get(), try row.get())
    }

    fileprivate static let all = """
        SELECT a.pid, concat_ws(' ', a.backend_start, a.query_start, a.state_change) AS place
        FROM pg_stat_activity a
        WHERE a.datname = current_database() AND a.usename = current_user
            AND a.application_name LIKE 'islet%' AND a.wait_event_type = 'Client'
            AND a.state <> 'idle' AND (
                a.backend_xid IS NOT NULL OR EXISTS (
                    SELECT FROM pg_locks l
                    WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.granted
                )
            )
        """

    /// $1 pids and $2 places.
    fileprivate static let end = """
        SELECT pg_terminate_backend(s.pid) FROM (\(all)) s
        JOIN unnest($1::int4[], $2::text[]) AS i (pid, place)
            ON i.pid = s.pid AND i.place = s.place
        """
}

extension StuckSession {
    /// For `EventStore.endStuckSessions`.
    /// - Parameter pools: one for each user that sessions are logged in as: each may end its own
    ///   only, and sees no more of others than that they are there.
    static func ending(of pools: [Pool]) -> @Sendable () async throws(EventStoreError) -> Int {
        let watches = pools.map { (pool: $0, looks: Lock<[StuckSession: Int]>([:])) }
        return { () async throws(EventStoreError) in
            try await withStoreErrors { () async throws(PostgresError) in
                var ended = 0
                for watch in watches { ended += try await endStuck(watch.pool, watch.looks) }
                return ended
            }
        }
    }

    private static func endStuck(
        _ pool: Pool, _ looks: Lock<[StuckSession: Int]>
    ) async throws(PostgresError) -> Int {
        let seen = try await pool.query(all).decoded(StuckSession.init)
        let stuck = looks.withLock { looks in
            looks = Dictionary(seen.map { ($0, (looks[$0] ?? 0) + 1) }, uniquingKeysWith: max)
            return looks.filter { $0.value >= Limits.stuckLooksMax }.map(\.key)
        }
        guard !stuck.isEmpty else { return 0 }
        return try await pool.query(
            end, [.int4s(stuck.map(\.pid)), .texts(stuck.map(\.place))]
        ).count
    }
}
