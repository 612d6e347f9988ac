import EventLoop
import Foundation
import Glibc
@testable import Postgres
import TestSupport
import Testing

/// A server that hangs: it takes connections, and says nothing more.
struct SilenceTests {
    @Test func `a call on a session that hangs ends soon after its time`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let record = ConnectionRecord()
        let connection = try await Connection.open(
            ConnectionConfiguration(url: database.url), loop: TestDatabase.loop, record: record)
        let frozen = FrozenServer(process: connection.backendPID)
        defer { frozen.thaw() }
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) {
            try await connection.query("SELECT 1", timeout: .seconds(0.3))
        }
        guard case .connectionLost? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(ContinuousClock.now - start < .seconds(6))
        #expect(record.current.callsTimedOut == 1)
        #expect(record.current.connectionsSilent == 1)
        #expect(record.current.isLost)
    }

    @Test func `a transaction whose commit hangs ends with its outcome unknown`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let connection = try await Connection.open(
            ConnectionConfiguration(url: database.url, callTimeoutSeconds: 0.3),
            loop: TestDatabase.loop)
        let frozen = Lock<FrozenServer?>(nil)
        defer { frozen.value?.thaw() }
        let error = await #expect(throws: PostgresError.self) {
            try await connection.transaction { (connection) async throws(PostgresError) in
                _ = try await connection.query("SELECT 1")
                frozen.withLock { $0 = FrozenServer(process: connection.backendPID) }
            }
        }
        guard case .connectionLost? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a listener hears within seconds that the server hangs`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = database.makePool()
        let listener = NotificationListener(pool: pool, channel: "one")
        var signals = listener.signals.makeAsyncIterator()
        #expect(await signals.next() == .listening)
        let found = try await database.pool.query(
            """
            SELECT pid FROM pg_stat_activity
            WHERE query LIKE 'LISTEN%' AND datname = current_database()
            """)
        let frozen = FrozenServer(process: try #require(found.first).get(0))
        defer { frozen.thaw() }
        let start = ContinuousClock.now
        #expect(await signals.next() == .away)
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(await signals.next() == .listening)
        await pool.close()
    }

    @Test func `idle connections to a server that hung are not lent again`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = database.makePool()
        let own = try await pool.openDedicated()
        try await pool.withConnection { (one) async throws(PostgresError) in
            try await pool.withConnection { (_) async throws(PostgresError) in
                _ = try await one.query("SELECT 1")
            }
        }
        #expect(await pool.openCount == 2)
        pool.record.noteSilence(of: own.server)
        try await waitUntil { await pool.openCount == 0 }
        // One of its own has to show that it lives, and does.
        #expect(try await own.query("SELECT 1::int4")[0].get(0) == Int32(1))
        await pool.close()
    }

    @Test func `idle connections go back but for a few`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = database.makePool(connectionsMax: 5)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask { _ = try await pool.query("SELECT pg_sleep(0.3)") }
            }
            try await group.waitForAll()
        }
        #expect(await pool.openCount == 5)
        await pool.giveBackIdle(before: .now - .seconds(60))
        #expect(await pool.openCount == 5)
        await pool.giveBackIdle(before: .now)
        #expect(await pool.openCount == 2)
        #expect(pool.record.current.connectionsOpen["main"] == 2)
        await pool.close()
    }

    @Test func `a host that does not answer costs its patience once and not each time`()
        async throws
    {
        let database = try await TestDatabase.makeEmpty()
        let silent = try SilentHost()
        defer { silent.close() }
        let parameters = try #require(database.url.split(separator: "host=").last)
        let host = try #require(parameters.split(separator: "&").first)
        let url = database.url.replacing("host=\(host)", with: "host=\(silent.directory),\(host)")
        let record = ConnectionRecord()
        let configuration = ConnectionConfiguration(url: url + "&connect_timeout=2")
        let start = ContinuousClock.now
        for _ in 0..<3 {
            let connection = try await Connection.open(
                configuration, loop: TestDatabase.loop, record: record)
            #expect(try await connection.query("SELECT 1::int4")[0].get(0) == Int32(1))
            await connection.close()
        }
        let took = ContinuousClock.now - start
        #expect(took > .seconds(1.9) && took < .seconds(4))
    }

    @Test func `a refusal is known by its SQLSTATE`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let error = await #expect(throws: PostgresError.self) {
            try await Connection.open(
                ConnectionConfiguration(
                    url: database.url.replacing(/\/\/\/\w+/, with: "///nowhere")),
                loop: TestDatabase.loop)
        }
        guard case .notAdmitted(let serverError)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(serverError.sqlState == "3D000")
        #expect(serverError.message.contains("nowhere"))
        #expect(!serverError.message.contains("LOCATION"))
        #expect(error?.isTransient == false)
    }
}

/// A socket that takes connections where a server's would be, and never says a word.
private struct SilentHost {
    let directory: String
    private let descriptor: Int32

    init() throws {
        directory = TestServer.temporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((directory + "/.s.PGSQL.5432").utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0 && listen(descriptor, 16) == 0)
    }

    func close() {
        Glibc.close(descriptor)
        try? FileManager.default.removeItem(atPath: directory)
    }
}
