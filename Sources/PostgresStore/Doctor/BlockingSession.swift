import Postgres

/// A session that may keep nodes from something.
public struct BlockingSession: Hashable, Sendable {
    public var processID: Int32
    public var name: String
    /// How long its transaction has been open; nil where the user may not see that.
    public var seconds: Double?
}

/// What somebody else's session does is hidden from most users; what it has locked is not.
extension BlockingSession {
    /// Sessions that have locked something, and those that a node waits for. They are found twice:
    /// work that goes on is over by then.
    /// - Parameter locked: finds whose it is: one of the three questions below.
    static func lasting(
        _ locked: String, _ pool: Pool
    ) async throws(PostgresError) -> [BlockingSession] {
        let question = question(locked)
        let before = try await read(pool, question)
        guard !before.isEmpty else { return [] }
        try? await Task.sleep(for: .seconds(Limits.doctorRestSeconds))
        let after = Set(try await read(pool, question).map(\.mark))
        return before.filter { after.contains($0.mark) }.map(\.session)
    }

    private static func read(
        _ pool: Pool, _ question: String
    ) async throws(PostgresError) -> [(mark: String, session: BlockingSession)] {
        try await pool.query(question).decoded { (row) throws(PostgresError) in
            let session = BlockingSession(
                processID: try row.get(0), name: try row.text(2), seconds: try row.optional(3))
            return (mark: try row.text(1), session: session)
        }
    }

    /// Sessions with a transaction that has changed or locked rows of the checkpoints.
    static let checkpoints = """
        SELECT l.pid, l.virtualtransaction AS mark FROM pg_locks l
        WHERE l.locktype = 'relation' AND l.granted
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            AND l.relation = 'projection_checkpoint'::regclass
            AND l.mode NOT IN ('AccessShareLock', 'SIReadLock')
        """

    /// Sessions that have what a sender must claim: locks as senders take them, and not as rebuilds
    /// do.
    static let claims = """
        SELECT l.pid, 'claim' AS mark FROM pg_locks l WHERE \(FleetQueries.isClaim)
        """

    /// Sessions that have locked whole tables, in a way that keeps others from writing or reading.
    static let tables = """
        SELECT l.pid, 'table ' || l.virtualtransaction AS mark FROM pg_locks l
        JOIN pg_class c ON c.oid = l.relation
        WHERE l.locktype = 'relation' AND l.granted
            AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND l.mode IN (
                'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'
            )
        """

    /// Besides those sessions, the ones that a node waits for.
    private static func question(_ locked: String) -> String {
        """
        SELECT h.pid, h.pid || ' ' || min(h.mark),
            concat_ws(
                ', ', 'user ' || a.usename::text,
                coalesce(nullif(a.application_name, ''), 'no application name')),
            extract(epoch FROM clock_timestamp() - a.xact_start)::float8
        FROM (
            \(locked)
            UNION ALL
            SELECT b.pid, 'waited for' FROM pg_locks w
            JOIN pg_stat_activity n ON n.pid = w.pid
            CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) b (pid)
            WHERE NOT w.granted AND n.application_name LIKE 'islet/%'
        ) h
        JOIN pg_stat_activity a ON a.pid = h.pid
        WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
            AND a.application_name NOT LIKE 'islet/%'
        GROUP BY h.pid, a.application_name, a.usename, a.xact_start
        ORDER BY a.xact_start, h.pid LIMIT 5
        """
    }
}
