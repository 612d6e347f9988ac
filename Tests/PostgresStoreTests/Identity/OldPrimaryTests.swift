import Domain
import EventLoop
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

/// A standby was promoted, and the primary that it followed takes writes as well: as after a crash,
/// when nobody has made a standby of it.
@Suite(.timeLimit(.minutes(2)))
struct `An old primary that comes back` {
    private let old: PrivatePostgres
    private let new: CopiedServer
    private let tenant: TenantID

    init() async throws {
        let directory = TestServer.temporaryDirectory()
        old = try await PrivatePostgres.start(
            dataDirectory: directory, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(old, directory)
        let pool = TestDatabase.pool(old.url)
        _ = try await EventStore.migrator.migrate(pool)
        tenant = try await EventStore.postgres(pool: pool).tenants.ensure("acme").id
        new = try CopiedServer.standby(of: old, in: directory + "-standby")
        let sql = "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()"
        try await waitUntil("the standby has caught up") {
            try await pool.query(sql).first?.get(0) == Int64(1)
        }
        await pool.close()
    }

    @Test(arguments: [true, false])
    func `is not taken by a node that starts, wherever it stands in the URL`(
        isFirst: Bool
    ) async throws {
        defer { end() }
        try new.promote()
        let (diagnostics, url) = (Lock<[ConnectionRecord.Diagnostic]>([]), url(oldFirst: isFirst))
        let record = ConnectionRecord { diagnostic in
            diagnostics.withLock { $0.append(diagnostic) }
        }
        let connection = try await Connection.open(
            ConnectionConfiguration(url: url), loop: TestDatabase.loop, record: record)
        #expect(connection.server.hasPrefix(new.directory))
        await connection.close()
        let writable = try #require(record.current.writable)
        #expect(writable.map(\.timeline) == [2, 1])
        #expect(diagnostics.value.contains(.severalWritable(writable)))
    }

    @Test func `acknowledges nothing to a node that has worked on the new one`() async throws {
        defer { end() }
        try new.promote()
        let pool = TestDatabase.pool(url(oldFirst: true))
        let store = EventStore.postgres(pool: pool)
        #expect(try await append(store, "1") == .recorded(position: 1, version: 1))
        try new.kill()
        for number in 2...3 {
            await #expect(throws: EventStoreError.self) { try await append(store, "\(number)") }
        }
        let why = await #expect(throws: PostgresError.self) {
            _ = try await Connection.open(
                pool.configuration.connection, loop: TestDatabase.loop, record: pool.record)
        }
        #expect(String(describing: why).contains("is an old primary"))
        await pool.close()
        // Another process knows of no new one.
        let other = TestDatabase.pool(url(oldFirst: true))
        #expect(try await EventStore.postgres(pool: other).log.head(tenant) == 0)
        await other.close()
    }

    @Test func `is left by a node that works on it, as soon as it sees the new one`()
        async throws
    {
        defer { end() }
        let pool = TestDatabase.pool(url(oldFirst: true))
        let store = EventStore.postgres(pool: pool)
        #expect(try await append(store, "1") == .recorded(position: 1, version: 1))
        try new.promote()
        let writable = try await pool.writableServers()
        #expect(writable.map(\.timeline) == [2, 1])
        try await waitUntil("the node is on the new primary") {
            _ = try? await append(store, "2")
            return pool.record.current.server?.hasPrefix(new.directory) == true
        }
        _ = try await append(store, "3")
        await pool.close()
        let promoted = TestDatabase.pool(new.url)
        let events = try await EventStore.postgres(pool: promoted).log.read(tenant, 0, 10)
        #expect(events.last?.event.id == "3")
        await promoted.close()
    }

    private func append(_ store: EventStore, _ id: String) async throws -> AppendResult? {
        try await store.log.append(tenant, [Samples.event(id)]).first
    }

    private func url(oldFirst: Bool) -> String { new.url(beside: old, isFirst: !oldFirst) }

    private func end() {
        try? new.kill()
        try? old.kill()
    }
}
