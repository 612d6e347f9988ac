import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Postgres

struct PoolTests {
    private func pool(
        _ database: TestDatabase, connectionsMax: Int, acquireTimeoutSeconds: Double = 20,
        waitersMax: Int = 100
    ) -> Pool {
        Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: database.url),
                connectionsMax: connectionsMax, acquireTimeoutSeconds: acquireTimeoutSeconds,
                waitersMax: waitersMax), loop: TestDatabase.loop)
    }

    @Test func `there are never more connections than the limit`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool(database, connectionsMax: 3)
        let most = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let rows = try await pool.query(
                        """
                        SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                        """)
                    let count: Int = try rows[0].get(0)
                    most.withLock { $0 = max($0, count) }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } <= 3)
        #expect(await pool.openCount <= 3)
        await pool.close()
    }

    @Test func `who waits too long gets an error, and the queue has an end`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool(
            database, connectionsMax: 1, acquireTimeoutSeconds: 0.2, waitersMax: 1)
        let (finish, use) = try await pool.occupied()
        async let first = Result<Rows, any Error> { try await pool.query("SELECT 1") }
        async let second = Result<Rows, any Error> { try await pool.query("SELECT 1") }
        let errors = await [first, second].map { result -> PostgresError? in
            if case .failure(let error) = result { error as? PostgresError } else { nil }
        }
        #expect(errors.contains(.poolQueueFull))
        #expect(
            errors.contains { if case .poolTimedOut = $0 { true } else { false } })
        finish()
        try await use.value
        #expect(try await pool.query("SELECT 1::int4")[0].get(0) == Int32(1))
        await pool.close()
    }

    @Test func `a cancelled caller leaves the queue`() async throws {
        let pool = pool(try await TestDatabase.makeEmpty(), connectionsMax: 1)
        let (finish, use) = try await pool.occupied()
        let waiting = Task { try await pool.query("SELECT 1") }
        waiting.cancel()
        await #expect(throws: PostgresError.cancelled) { try await waiting.value }
        finish()
        try await use.value
        await pool.close()
    }

    @Test func `a transaction that throws leaves nothing behind`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool(database, connectionsMax: 1)
        try await pool.withConnection { (c) async throws(PostgresError) in
            try await c.script("CREATE TABLE t (n int4)")
        }
        await #expect(throws: PostgresError.timedOut) {
            try await pool.withTransaction { (c) async throws(PostgresError) in
                _ = try await c.query("INSERT INTO t VALUES (1)")
                throw .timedOut
            }
        }
        #expect(try await pool.query("SELECT * FROM t").isEmpty)
        try await pool.withTransaction { (c) async throws(PostgresError) in
            _ = try await c.query("INSERT INTO t VALUES (2)")
        }
        #expect(try await pool.query("SELECT n FROM t")[0].get(0) == Int32(2))
        await pool.close()
    }

    @Test func `a connection returned inside a transaction is not lent again`() async throws {
        let pool = pool(try await TestDatabase.makeEmpty(), connectionsMax: 1)
        let first = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        try await pool.withConnection { (c) async throws(PostgresError) in
            try await c.script("BEGIN; CREATE TABLE t (n int4)")
        }
        let second = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        #expect(first != second)
        await #expect(throws: PostgresError.self) { try await pool.query("SELECT * FROM t") }
        await pool.close()
    }

    @Test func `a cancelled transaction is rolled back and its connection reused`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool(database, connectionsMax: 1)
        let pid = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        let task = Task {
            try await pool.withTransaction { (c) async throws(PostgresError) in
                try await c.script("CREATE TABLE t (n int4)")
                _ = try await c.query("SELECT pg_sleep(60)")
            }
        }
        try await waitUntil {
            try await !database.pool.query(
                "SELECT FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep%'",
                [.int4(pid)]
            ).isEmpty
        }
        task.cancel()
        await #expect(throws: PostgresError.cancelled) { try await task.value }
        #expect(try await pool.query("SELECT pg_backend_pid()")[0].get(0) == pid)
        #expect(try await pool.query("SELECT to_regclass('t') IS NULL")[0].get(0) == true)
        await pool.close()
    }

    @Test func `a killed connection is replaced`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool(database, connectionsMax: 1)
        let pid = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        let killed = Task { () async -> PostgresError? in
            do throws(PostgresError) {
                _ = try await pool.query("SELECT pg_sleep(60)")
                return nil
            } catch {
                return error
            }
        }
        try await waitUntil {
            try await !database.pool.query(
                "SELECT FROM pg_stat_activity WHERE pid = $1 AND query LIKE '%pg_sleep%'",
                [.int4(pid)]
            ).isEmpty
        }
        _ = try await database.pool.query("SELECT pg_terminate_backend($1)", [.int4(pid)])
        #expect(await killed.value?.isTransient == true)
        let next = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        #expect(next != pid)
        await pool.close()
    }

    @Test func `where no thread can be made, one call fails and the next one is tried again`()
        async throws
    {
        let pool = pool(try await TestDatabase.makeEmpty(), connectionsMax: 1)
        let refusals = Lock(2)
        await pool.startThreads { name, work in
            let isRefused = refusals.withLock { left in
                left -= 1
                return left >= 0
            }
            return isRefused ? EAGAIN : OwnThread.start(name, work)
        }
        let detail = "no thread could be made: Resource temporarily unavailable"
        await #expect(throws: PostgresError.cannotConnect(detail: detail)) {
            try await pool.openDedicated()
        }
        #expect(try await pool.query("SELECT 1::int4")[0].get(0) == Int32(1))
        #expect(refusals.value == -1)
        #expect(pool.record.current.connectsFailed == [pool.configuration.name: 2])
        await pool.close()
    }

    @Test func `a closed pool fails everyone, those who wait included`() async throws {
        let pool = pool(try await TestDatabase.makeEmpty(), connectionsMax: 1)
        let (finish, use) = try await pool.occupied()
        let waiting = Task { try await pool.query("SELECT 1") }
        await pool.close()
        await #expect(throws: PostgresError.closed) { try await waiting.value }
        await #expect(throws: PostgresError.closed) { try await pool.query("SELECT 1") }
        finish()
        try await use.value
    }
}

extension Pool {
    fileprivate func startThreads(by start: @escaping OwnThread.Starter) { startThread = start }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
