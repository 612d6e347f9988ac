import Domain
import EventStore
import Postgres

/// What a database gives, or what went wrong there in a move's words.
func asking<Answer>(
    _ ask: @autoclosure () async throws(PostgresError) -> Answer, _ end: MoveEnds.End = .source
) async throws(TenantMove.Failure) -> Answer {
    do throws(PostgresError) { return try await ask() } catch { throw end.failure(error) }
}

/// The two databases of a move.
struct MoveEnds {
    enum End {
        case source, target

        func failure(_ error: PostgresError) -> TenantMove.Failure {
            self == .source ? .store(error) : .otherStore(error)
        }
    }

    let source: Connection
    let target: Connection

    /// With a connection of its own to each database, on which nothing that takes long is broken
    /// off.
    static func with<Answer: Sendable>(
        _ source: Pool, _ target: Pool,
        _ body: (MoveEnds) async throws(TenantMove.Failure) -> Answer
    ) async throws(TenantMove.Failure) -> Answer {
        let one = try await asking(try await source.openDedicated(beginningWith: settings))
        let other: Connection
        do throws(PostgresError) {
            other = try await target.openDedicated(beginningWith: settings)
        } catch {
            await one.close()
            throw .otherStore(error)
        }
        let answer = await Result { () async throws(TenantMove.Failure) in
            try await body(MoveEnds(source: one, target: other))
        }
        await one.close()
        await other.close()
        return try answer.get()
    }

    /// If the machine of a process that moves a tenant dies, its lock goes soon.
    private static let settings = """
        SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
        SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4
        """

    @discardableResult
    func ask(
        _ end: End, _ sql: String, _ parameters: [Parameter] = []
    ) async throws(TenantMove.Failure) -> Rows {
        let connection = end == .source ? source : target
        return try await asking(
            try await connection.query(
                sql, parameters, timeout: .seconds(Limits.moveCallSecondsMax)), end)
    }

    func value<T: ColumnDecodable>(
        _ end: End, _ sql: String, _ parameters: [Parameter] = []
    ) async throws(TenantMove.Failure) -> T? {
        let rows = try await ask(end, sql, parameters)
        return try await asking(try rows.first?.optional(0), end)
    }

    /// Asks the source. Waits for locks for a moment only, and tries again: writers must not wait
    /// behind it.
    func insist(
        _ sql: String, _ parameters: [Parameter], attemptsMax: Int = Limits.moveLockAttemptsMax
    ) async throws(TenantMove.Failure) -> Rows {
        for _ in 0..<attemptsMax {
            do throws(PostgresError) {
                return try await source.batch([
                    Statement("SELECT set_config('lock_timeout', '300ms', true)"),
                    Statement(sql, parameters),
                ])[1]
            } catch {
                guard
                    [SQLState.lockNotAvailable, SQLState.deadlockDetected].contains(error.sqlState)
                else { throw .store(error) }
            }
            try TenantMove.checkCancelled()
            try? await Task.sleep(for: .milliseconds(100))
        }
        throw .refused(
            "a transaction has locked what the move needs, and does not end: psql -c 'SELECT pid, "
                + "xact_start, query FROM pg_stat_activity ORDER BY xact_start' in the database "
                + "that the tenant leaves shows the oldest first; end it, and run the move again")
    }

    /// Lets one process at a time work on a tenant's move, until the connections end. By this both
    /// databases know whether somebody does.
    func becomeMover(of tenant: TenantID) async throws(TenantMove.Failure) {
        for end in [End.source, .target] { try await becomeMover(of: tenant, end) }
    }

    private func becomeMover(of tenant: TenantID, _ end: End) async throws(TenantMove.Failure) {
        // One that was ended a moment ago may still be on its way out.
        for _ in 0..<Limits.moverAttemptsMax {
            let isMine: Bool? = try await value(
                end, "SELECT pg_try_advisory_lock(hashtextextended('mover', $1))",
                [.tenant(tenant)])
            if isMine == true { return }
            try? await Task.sleep(for: .milliseconds(100))
        }
        throw .refused("another process is moving this tenant: let it end")
    }

    /// The move of a tenant that leaves or has left the source.
    func move(_ name: String) async throws(TenantMove.Failure) -> MoveCourse? {
        let rows = try await ask(
            .source,
            "SELECT tenant, name, move, state, cell FROM tenant_move WHERE name = $1",
            [.text(name)])
        guard let row = rows.first else { return nil }
        return try await asking(
            MoveCourse(
                tenant: try row.tenant(0), name: try row.text(1), move: try row.text(2),
                state: try row.choice(3), cell: try row.text(4)))
    }

    /// Tables in the order in which their rows can be put.
    func tables() async throws(TenantMove.Failure) -> [String] {
        try await texts(.source, "SELECT name FROM moving_tables() ORDER BY depth, name")
    }
}
