import TestSupport
import Testing

@testable import Postgres

/// One tenant that asks for everything must leave something for the others.
struct `What a pool gives each owner` {
    private static let select = [Statement("SELECT 1::int4")]

    private func pool(
        connectionsMax: Int, acquireTimeoutSeconds: Double = 20, waitersMax: Int = 100
    ) async throws -> Pool {
        let database = try await TestDatabase.makeEmpty()
        return Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: database.url), name: "kitchen",
                connectionsMax: connectionsMax, acquireTimeoutSeconds: acquireTimeoutSeconds,
                waitersMax: waitersMax), loop: TestDatabase.loop)
    }

    @Test func `is half of it at most, and the others have the rest`() async throws {
        let pool = try await pool(connectionsMax: 4, acquireTimeoutSeconds: 0.3)
        let lent = [try await pool.occupied(for: 1), try await pool.occupied(for: 1)]
        let expected = PostgresError.poolTimedOut(
            detail: "the tenant's share of the 4 connections is in use")
        await #expect(throws: expected) { try await pool.batch(Self.select, for: 1) }
        _ = try await pool.batch(Self.select, for: 2)
        _ = try await pool.query("SELECT 1")
        #expect(await pool.load.waiting == 0)
        for (finish, task) in lent {
            finish()
            try await task.value
        }
        _ = try await pool.batch(Self.select, for: 1)
        await pool.close()
    }

    @Test func `is more again as soon as one comes back`() async throws {
        let pool = try await pool(connectionsMax: 2)
        let (finish, use) = try await pool.occupied(for: 1)
        let waiting = Task { try await pool.batch(Self.select, for: 1) }
        try await waitUntil { await pool.load.waiting == 1 }
        // Nobody stands behind one who may have nothing more.
        _ = try await pool.batch(Self.select, for: 2)
        #expect(await pool.load.waiting == 1)
        finish()
        try await use.value
        #expect(try await waiting.value[0][0].get(0) == Int32(1))
        await pool.close()
    }

    @Test func `is all of it where nobody owns what is done`() async throws {
        let pool = try await pool(connectionsMax: 2)
        let lent = [try await pool.occupied(), try await pool.occupied()]
        #expect(await pool.load.lent == 2)
        for (finish, task) in lent {
            finish()
            try await task.value
        }
        await pool.close()
    }

    @Test func `is half of the places in the queue at most`() async throws {
        let pool = try await pool(connectionsMax: 1, waitersMax: 4)
        let (finish, use) = try await pool.occupied()
        var waiting: [Task<Void, any Error>] = []
        for owner: Int32? in [1, 1, 2, nil] {
            waiting.append(Task { _ = try await pool.batch(Self.select, for: owner) })
            let count = waiting.count
            try await waitUntil { await pool.load.waiting == count }
            if count == 2 {
                await #expect(throws: PostgresError.poolQueueFull) {
                    try await pool.batch(Self.select, for: 1)
                }
            }
        }
        for owner: Int32? in [1, 3, nil] {
            await #expect(throws: PostgresError.poolQueueFull) {
                try await pool.batch(Self.select, for: owner)
            }
        }
        finish()
        try await use.value
        for task in waiting { try await task.value }
        await pool.close()
    }

    @Test func `is said in the record and in its load`() async throws {
        let pool = try await pool(connectionsMax: 3)
        #expect(await pool.load == (0, 0, 0))
        let lent = [try await pool.occupied(for: 1), try await pool.occupied()]
        #expect(await pool.load == (0, 2, 0))
        let own = try await pool.openDedicated()
        #expect(await pool.load == (0, 3, 0))
        #expect(pool.record.current.connectionsOpen == ["kitchen": 3])
        for (finish, task) in lent {
            finish()
            try await task.value
        }
        try await waitUntil { await pool.load == (2, 1, 0) }
        await own.close()
        #expect(pool.record.current.connectionsOpen == ["kitchen": 2])
        await pool.close()
    }
}

struct `A pool` {
    private func pool(_ url: String, acquireTimeoutSeconds: Double = 20) -> Pool {
        Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: url), connectionsMax: 1,
                acquireTimeoutSeconds: acquireTimeoutSeconds), loop: TestDatabase.loop)
    }

    @Test func `says after a vain wait that all its connections are in use`() async throws {
        let pool = pool(try await TestDatabase.makeEmpty().url, acquireTimeoutSeconds: 0.2)
        let (finish, use) = try await pool.occupied()
        let expected = PostgresError.poolTimedOut(detail: "all 1 connections are in use")
        await #expect(throws: expected) { try await pool.query("SELECT 1") }
        #expect(await pool.load == (0, 1, 0))
        finish()
        try await use.value
        _ = try await pool.query("SELECT 1")
        await pool.close()
    }

    @Test func `takes a connection back from a caller that throws`() async throws {
        let pool = pool(try await TestDatabase.makeEmpty().url)
        let pid = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        await #expect(throws: PostgresError.timedOut) {
            try await pool.withConnection { (_) async throws(PostgresError) in
                throw PostgresError.timedOut
            }
        }
        #expect(try await pool.query("SELECT pg_backend_pid()")[0].get(0) == pid)
        await pool.close()
    }

    /// Waiting would not help, so nobody waits for the whole patience.
    @Test func `tells all who wait at once if nobody will ever get in`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool(database.url.replacing(/\/\/\/\w+/, with: "///nowhere"))
        let start = ContinuousClock.now
        await withTaskGroup(of: PostgresError?.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    do throws(PostgresError) {
                        _ = try await pool.query("SELECT 1")
                        return nil
                    } catch { return error }
                }
            }
            for await error in group {
                guard case .notAdmitted(let serverError)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(serverError.sqlState == "3D000")
            }
        }
        #expect(ContinuousClock.now - start < .seconds(10))
        await pool.close()
    }

    @Test func `opens connections by another URL from then on`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = pool("postgresql:///x?host=%2Fnowhere")
        let waiting = Task { try await pool.query("SELECT 1::int4") }
        try await waitUntil { await pool.load.waiting == 1 }
        pool.replaceURL(database.url)
        #expect(pool.url == database.url)
        #expect(try await waiting.value[0].get(0) == Int32(1))
        let pid = try await pool.query("SELECT pg_backend_pid()")[0].get(0, as: Int32.self)
        // What is open stays, whatever the URL is.
        pool.replaceURL("postgresql:///x?host=%2Fnowhere")
        #expect(try await pool.query("SELECT pg_backend_pid()")[0].get(0) == pid)
        await pool.close()
    }

    @Test func `that is closed again stays closed, and has opened nothing if nobody asked`()
        async throws
    {
        let pool = pool("postgresql:///x?host=%2Fnowhere")
        #expect(await pool.openCount == 0)
        await pool.close()
        await pool.close()
        await #expect(throws: PostgresError.closed) { try await pool.query("SELECT 1") }
        await #expect(throws: PostgresError.closed) { try await pool.withTransaction { _ in } }
    }

    @Test func `is asked by nobody who was cancelled before`() async throws {
        let pool = pool(try await TestDatabase.makeEmpty().url)
        let asking = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pool.query("SELECT 1")
        }
        await #expect(throws: PostgresError.cancelled) { try await asking.value }
        #expect(await pool.load == (0, 0, 0))
        await pool.close()
    }
}
