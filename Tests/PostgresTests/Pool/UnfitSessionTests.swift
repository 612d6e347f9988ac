import TestSupport
import Testing

@testable import Postgres

/// Whether a session takes writes is settled when it begins.
@Suite(.timeLimit(.minutes(1)))
struct `A session that began while the database was read-only` {
    private static let write = "CREATE TABLE t (n int4)"

    /// A pool whose `count` sessions refuse writes, though the database takes them again.
    private func pool(
        of count: Int, in database: TestDatabase,
        _ change: (inout ConnectionConfiguration) -> Void = { _ in }
    ) async throws -> Pool {
        var configuration = ConnectionConfiguration(url: database.url)
        change(&configuration)
        let pool = Pool(
            PoolConfiguration(
                connection: configuration, connectionsMax: count, acquireTimeoutSeconds: 20),
            loop: TestDatabase.loop)
        try await setReadOnly(true, database)
        var lent: [(finish: () -> Void, Task<Void, any Error>)] = []
        for _ in 0..<count { lent.append(try await pool.occupied()) }
        for (finish, task) in lent {
            finish()
            try await task.value
        }
        try await setReadOnly(false, database)
        return pool
    }

    /// By a session that has written before, so that it still may.
    private func setReadOnly(_ isReadOnly: Bool, _ database: TestDatabase) async throws {
        let found = try await database.pool.query("SELECT quote_ident(current_database())")
        let name: String = try #require(found.first).get(0)
        let change =
            isReadOnly
            ? "SET default_transaction_read_only = on" : "RESET default_transaction_read_only"
        _ = try await database.pool.query("ALTER DATABASE \(name) \(change)")
    }

    /// Until sessions that are of no more use end.
    private func rest() async throws {
        try await Task.sleep(for: .seconds(Limits.unfitSessionSecondsMin + 0.1))
    }

    private func refused(_ body: () async throws -> Void) async {
        let error = await #expect(throws: PostgresError.self) { try await body() }
        #expect(error?.sqlState == SQLState.readOnlyTransaction)
    }

    @Test func `is replaced once it has refused a write, and those beside it with it`() async throws
    {
        let database = try await TestDatabase.makeEmpty()
        let pool = try await pool(of: 2, in: database)
        try await rest()
        // Reading, it does as well as any.
        _ = try await pool.query("SELECT 1")
        #expect(await pool.openCount == 2)
        await refused { _ = try await pool.query(Self.write) }
        try await waitUntil { await pool.openCount == 0 }
        _ = try await pool.query(Self.write)
        await pool.close()
    }

    @Test func `is replaced too when a transaction finds it out`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = try await pool(of: 1, in: database)
        try await rest()
        await refused {
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                _ = try await connection.query(Self.write)
            }
        }
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            _ = try await connection.query(Self.write)
        }
        await pool.close()
    }

    @Test func `ends if somebody has it as their own, and what waits in it is refused`()
        async throws
    {
        let database = try await TestDatabase.makeEmpty()
        let pool = try await pool(of: 1, in: database)
        try await setReadOnly(true, database)
        let own = try await pool.openDedicated()
        try await setReadOnly(false, database)
        try await rest()
        await withTaskGroup(of: PostgresError?.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    do throws(PostgresError) {
                        try await own.script(Self.write)
                        return nil
                    } catch { return error }
                }
            }
            for await error in group {
                #expect(error?.sqlState == SQLState.readOnlyTransaction)
            }
        }
        #expect(await own.isClosed)
        #expect(await pool.load.lent == 0)
        await pool.close()
    }

    @Test func `stays for a moment, so that not every call makes one`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = try await pool(of: 1, in: database)
        try await setReadOnly(true, database)
        let own = try await pool.openDedicated()
        await refused { try await own.script(Self.write) }
        #expect(await !own.isClosed)
        #expect(try await own.query("SELECT 1::int4")[0].int4(0) == 1)
        await pool.close()
    }

    @Test func `stays if it is for reading alone`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = try await pool(of: 1, in: database) { $0.isReadOnly = true }
        let pid = try await pool.query("SELECT pg_backend_pid()")[0].int4(0)
        try await rest()
        await refused { _ = try await pool.query(Self.write) }
        #expect(try await pool.query("SELECT pg_backend_pid()")[0].int4(0) == pid)
        await pool.close()
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A session that does not have what was prepared in it` {
    @Test func `ends, and the next one has to show that it is not shared`() async throws {
        let database = try await TestDatabase.makeEmpty()
        for isReadOnly in [false, true] {
            let record = ConnectionRecord()
            let pool = Pool(
                PoolConfiguration(
                    connection: ConnectionConfiguration(url: database.url, isReadOnly: isReadOnly),
                    connectionsMax: 1), loop: TestDatabase.loop, record: record)
            let question = "SELECT pg_backend_pid()"
            let pid = try await pool.query(question)[0].int4(0)
            try await pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("DEALLOCATE ALL")
            }
            record.noteSessionsProven()
            try await Task.sleep(for: .seconds(Limits.unfitSessionSecondsMin + 0.1))
            let error = await #expect(throws: PostgresError.self) {
                _ = try await pool.query(question)
            }
            #expect(error?.sqlState == SQLState.invalidStatementName)
            #expect(record.mustProveSessions)
            #expect(try await pool.query(question)[0].int4(0) != pid)
            await pool.close()
        }
    }

    @Test func `never runs another session's statement in its stead`() async throws {
        let database = try await TestDatabase.makeEmpty()
        var names: [String] = []
        for _ in 0..<2 {
            let connection = try await Connection.open(
                ConnectionConfiguration(url: database.url), loop: TestDatabase.loop)
            let rows = try await connection.query("SELECT name FROM pg_prepared_statements")
            names += try rows.map { try $0.text(0) }
            await connection.close()
        }
        #expect(names.count == 2)
        #expect(Set(names).count == 2)
    }
}
