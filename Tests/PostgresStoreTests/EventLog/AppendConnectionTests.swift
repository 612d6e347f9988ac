import EventLoop
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `A connection of the appender's` {
    @Test func `that fails is tried again after a rest, however many ask meanwhile`() async throws {
        let loop = EventLoop(name: "test-append")
        let attempts = Lock(0)
        let port = try await loop.submit { () throws(NetworkError) in
            try loop.listen(host: "127.0.0.1", port: 0) { socket in
                attempts.withLock { $0 += 1 }
                socket.close()
            }.port
        }
        let pool = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(
                    url: "postgresql://nobody@127.0.0.1:\(port)/none", applicationName: "tests"),
                connectionsMax: 1, acquireTimeoutSeconds: 5),
            loop: loop)
        nonisolated(unsafe) let connection = AppendConnection(pool: pool)
        for _ in 1...300 {
            await pool.loop.submit { connection.open {} }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(await pool.loop.submit { connection.failure } != nil)
        // Rests of 50, 100 and 200 ms; an attempt may be two, with TLS and without.
        #expect((1...12).contains(attempts.withLock { $0 }))
        await pool.close()
    }
}
