import EventLoop
import Postgres

/// A connection for one kind of work that comes again and again. The pool would give another one
/// each time, and each begins with statements to prepare and plans to make, which takes as long as
/// ten folds.
actor DedicatedConnection {
    nonisolated let pool: Pool
    nonisolated var unownedExecutor: UnownedSerialExecutor { pool.unownedExecutor }

    private let settings: String
    private var connection: Connection?

    /// - Parameter settings: SQL that a session begins with.
    init(pool: Pool, settings: String = Statement.fewRowsSettings) {
        self.pool = pool
        self.settings = settings
    }

    /// - Parameter onOpen: called when it is not the session of the last call.
    nonisolated func session(
        onOpen: @Sendable () -> Void = {}
    ) async throws(PostgresError) -> Connection {
        // A caller on the loop, as most are, need not leave it and come back.
        if let session = openHere() { return session }
        return try await opened(onOpen)
    }

    private nonisolated func openHere() -> Connection? {
        pool.loop.isCurrent ? assumeIsolated { $0.open } : nil
    }

    /// The connection if it is there to be used.
    var open: Connection? {
        guard let connection, !connection.assumeIsolated({ $0.isClosed }) else { return nil }
        return connection
    }

    private func opened(_ onOpen: @Sendable () -> Void) async throws(PostgresError) -> Connection {
        if let open { return open }
        let opened = try await pool.openDedicated(beginningWith: settings)
        // Two callers may have opened one each; the first stays.
        if let open {
            await opened.close()
            return open
        }
        connection = opened
        onOpen()
        return opened
    }
}

extension Statement {
    /// The planner's settings for a session whose statements find everything by keys: it plans each
    /// of them once. By itself the planner would look at the length of each array and plan again,
    /// or go through a table that was small when it last looked.
    static let keyLookUpSettings = """
        SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off
        """

    /// `keyLookUpSettings` for a session of which no statement has many rows to join.
    static let fewRowsSettings = """
        \(keyLookUpSettings); SET enable_hashjoin = off; SET enable_mergejoin = off
        """

    /// `fewRowsSettings` for the rest of a transaction in any other session (`SET LOCAL`). A
    /// statement that is asked so once must always be asked so there, since the session keeps its
    /// plan.
    static let transactionFewRowsSettings = Statement(
        """
        SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
            set_config('enable_seqscan', 'off', true),
            set_config('enable_hashjoin', 'off', true),
            set_config('enable_mergejoin', 'off', true)
        """)

    /// The defaults, for the rest of a transaction in such a session that goes through whole
    /// tables.
    static let transactionDefaultSettings = Statement(
        """
        SELECT set_config('plan_cache_mode', 'auto', true),
            set_config('enable_seqscan', 'on', true),
            set_config('enable_hashjoin', 'on', true),
            set_config('enable_mergejoin', 'on', true)
        """)
}
