import Postgres

/// A connection for one kind of work that comes again and again. One of the pool's would be another
/// one each time, and each begins with statements to prepare and plans to make, which takes as long
/// as ten folds.
actor KeyedLine {
    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private var connection: Connection?

    init(pool: Pool) { self.pool = pool }

    func session() async throws(PostgresError) -> Connection {
        if let connection, await !connection.isClosed { return connection }
        let opened = try await pool.openDedicated()
        do throws(PostgresError) {
            try await opened.script(Statement.plansByKeys)
        } catch {
            await opened.close()
            throw error
        }
        // Two callers may have opened one each; the first stays.
        if let connection, await !connection.isClosed {
            await opened.close()
            return connection
        }
        connection = opened
        return opened
    }
}

extension Statement {
    /// For a connection whose statements find everything by keys. The planner would look at the
    /// length of each array and plan anew, or go through a table that was small when it last
    /// looked.
    static let plansOnce = """
        SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off
        """

    /// Likewise, where no statement has many rows to join.
    static let plansByKeys = """
        \(plansOnce); SET enable_hashjoin = off; SET enable_mergejoin = off
        """

    /// The same for the rest of a transaction.
    static let planByKeys = Statement(
        """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('enable_seqscan', 'off', true),
            set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true)
        """)
}
