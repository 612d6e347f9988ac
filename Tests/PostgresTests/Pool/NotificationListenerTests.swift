import EventLoop
import Glibc
import Postgres
import TestSupport
import Testing

struct NotificationListenerTests {
    @Test func `notifications arrive in order and a reconnect is reported`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let listener = NotificationListener(pool: database.makePool(), channel: "one")
        var signals = listener.signals.makeAsyncIterator()
        #expect(await signals.next() == .listening)
        _ = try await database.pool.batch([
            Statement("SELECT pg_notify('one', '1')"), Statement("SELECT pg_notify('two', '2')"),
            Statement("SELECT pg_notify('one', '3')"),
        ])
        #expect(await signals.next() == .notification(payload: "1"))
        #expect(await signals.next() == .notification(payload: "3"))
        _ = try await database.pool.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE 'LISTEN%' AND datname = current_database()
            """)
        #expect(await signals.next() == .away)
        #expect(await signals.next() == .listening)
        _ = try await database.pool.query("SELECT pg_notify('one', 'again')")
        #expect(await signals.next() == .notification(payload: "again"))
    }

    @Test func `a notification right behind an answer arrives without another one`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let loop = EventLoop(name: "blocked")
        let connection = try await Connection.open(
            ConnectionConfiguration(url: database.url), loop: loop)
        let heard = Lock<[String]>([])
        await connection.onNotification { payload in heard.withLock { $0.append(payload) } }
        try await connection.script("LISTEN one")
        let isBlocked = Lock(true)
        defer { isBlocked.withLock { $0 = false } }
        loop.run {
            connection.assumeIsolated { $0.batch([Statement("SELECT 1")]) { _ in } }
            while isBlocked.value { usleep(1_000) }
        }
        try await waitUntil {
            try await !database.pool.query(
                "SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'idle' AND query = $2",
                [.int4(connection.backendPID), .text("SELECT 1")]
            ).isEmpty
        }
        _ = try await database.pool.query("SELECT pg_notify('one', 'behind')")
        // Until it lies in the socket, behind the answer.
        try await Task.sleep(for: .milliseconds(500))
        isBlocked.withLock { $0 = false }
        try await waitUntil(within: 20) { heard.value == ["behind"] }
        await connection.close()
        await loop.shutdown()
    }

    @Test func `closing the pool ends the signals`() async throws {
        let pool = try await TestDatabase.makeEmpty().makePool()
        let listener = NotificationListener(pool: pool, channel: "one")
        var signals = listener.signals.makeAsyncIterator()
        #expect(await signals.next() == .listening)
        await pool.close()
        #expect(await signals.next() == nil)
    }

    @Test func `stopping ends the signals and frees the connection`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let listener = NotificationListener(pool: database.makePool(), channel: "one")
        var signals = listener.signals.makeAsyncIterator()
        #expect(await signals.next() == .listening)
        listener.stop()
        #expect(await signals.next() == nil)
        try await waitUntil {
            try await database.pool.query(
                """
                SELECT FROM pg_stat_activity
                WHERE query LIKE 'LISTEN%' AND datname = current_database()
                """
            ).isEmpty
        }
    }

    @Test func `keeps no connection on which it could not listen`() async throws {
        let pool = try await TestDatabase.makeEmpty().makePool()
        // No name for a channel: the server refuses it each time.
        let listener = NotificationListener(pool: pool, channel: "select")
        var most = 0
        // Rests of 50, 100, 200 and 400 ms.
        for _ in 0..<100 {
            most = max(most, await pool.load.lent)
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(most <= 1)
        listener.stop()
        await pool.close()
    }
}
