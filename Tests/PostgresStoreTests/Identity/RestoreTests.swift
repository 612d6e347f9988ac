import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import TestSupport
import Testing

/// What Postgres' own programs make of a database, and what becomes of the log in it.
@Suite(.timeLimit(.minutes(2)))
struct `A restored database` {
    private let primary: PrivatePostgres
    private let pool: Pool
    private let store: EventStore
    private let memory = LogMemory()
    private let tenant: TenantID
    private let directory: String
    private var archive: String { directory + "-archive" }

    init() async throws {
        directory = TestServer.temporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory + "-archive", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o777])
        primary = try await PrivatePostgres.start(
            dataDirectory: directory,
            settings: CopiedServer.settings(archive: directory + "-archive"))
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        pool = TestDatabase.pool(primary.url)
        store = .postgres(pool: pool, remembering: memory)
        _ = try await EventStore.migrator.migrate(pool)
        tenant = try await store.tenants.ensure("acme").id
    }

    @Test func `from a dump is held until it is accepted`() async throws {
        try await append("1")
        try await query("CREATE DATABASE copy")
        let copyURL = primary.url.replacing("///postgres?", with: "///copy?")
        try CopiedServer.dump(primary.url, into: copyURL, primary)
        let (copy, pool) = Self.open(copyURL)
        #expect(try await status(copy) == LogStatus(hold: .copied))
        #expect(try await status(store) == LogStatus())
        let epoch = try #require(
            try await copy.identity.accept(LogAcceptance(isComplete: false, aheadSeconds: 0)))
        #expect(try await status(copy) == LogStatus(epoch: epoch))
        #expect(try await copy.log.head(tenant) == 1)
        await pool.close()
        await end()
    }

    @Test func `to a point in time is held, unless a node knows that nothing is missing`()
        async throws
    {
        try await append("1")
        _ = try await beat()
        let backup = try CopiedServer(of: primary, in: directory + "-restored")
        try await append("2")
        try await query("SELECT pg_create_restore_point('before')")
        let beat = try #require(try await beat())
        try await append("3")
        try await query("SELECT pg_switch_wal()")
        try await archived()
        try backup.start(upTo: "before", from: archive)
        defer { try? backup.kill() }
        let (later, pool) = Self.open(backup.url)
        #expect(try await later.log.head(tenant) == 2)
        #expect(try await later.identity.look().hold == .timeline)
        // Nothing is sent before somebody has looked.
        await #expect(throws: (any Error).self) {
            _ = try await pool.query(
                "INSERT INTO delivery_state (tenant, activity_id, last_timestamp) "
                    + "VALUES ($1, 'a', 1)", [.int4(tenant.rawValue)])
        }
        // A node that was there holds it, by what it has acknowledged and by its sign of life.
        let look = try await later.identity.look()
        let acknowledged = memory
        #expect(
            acknowledged.judge(look, heads: [tenant: 2], recalling: acknowledged.recall())
                == .setBack)
        let other = LogMemory()
        other.note(beat: beat, in: 1)
        #expect(try await status(later, other) == LogStatus(hold: .setBack))
        // And from then on so does every other.
        #expect(try await status(later) == LogStatus(hold: .setBack))
        let epoch = try #require(
            try await later.identity.accept(LogAcceptance(isComplete: false, aheadSeconds: 0)))
        #expect(try await status(later, other) == LogStatus(epoch: epoch))
        #expect(try await later.identity.kept(tenant, 1) == 2)
        await pool.close()
        await end()
    }

    @Test func `to a point that is long ago is held although no node was there`() async throws {
        try await append("1")
        try await query("UPDATE log_identity SET beat_at = clock_timestamp() - interval '1 hour'")
        let backup = try CopiedServer(of: primary, in: directory + "-restored")
        try await query("SELECT pg_create_restore_point('before'), pg_switch_wal()")
        try await archived()
        try backup.start(upTo: "before", from: archive)
        defer { try? backup.kill() }
        let (later, pool) = Self.open(backup.url)
        #expect(try await status(later) == LogStatus(hold: .timeline))
        await pool.close()
        await end()
    }

    @Test func `that is a promoted standby goes on by itself`() async throws {
        let standby = try CopiedServer.standby(of: primary, in: directory + "-standby")
        try await append("1")
        let beat = try #require(try await beat())
        memory.note(beat: beat, in: 1)
        #expect(try await status(store, memory) == LogStatus())
        try await caughtUp()
        await pool.close()
        try primary.kill()
        try standby.promote()
        defer { try? standby.kill() }
        let (heir, pool) = Self.open(standby.url)
        #expect(try await heir.identity.look().hold == .timeline)
        #expect(try await status(heir, memory) == LogStatus())
        #expect(try await heir.identity.look().hold == nil)
        await pool.close()
    }

    private func status(
        _ store: EventStore, _ memory: LogMemory = LogMemory()
    ) async throws -> LogStatus {
        try await IdentityWatch(store: store, memory: memory) { _ in }.status()
    }

    private func append(_ id: String) async throws {
        let outcome = try await store.log.append(tenant, [Samples.event(id)]).first
        #expect(outcome?.isAccepted == true)
    }

    private func beat() async throws -> Moment? {
        let run = try await store.identity.look().run
        return try await store.identity.beat(1, in: run)
    }

    private func query(_ sql: String) async throws { _ = try await pool.query(sql) }

    private func archived() async throws {
        let sql = "SELECT count(*) FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'"
        try await waitUntil("the archive has caught up") {
            try await pool.query(sql).first?.get(0) == Int64(0)
        }
    }

    private func caughtUp() async throws {
        let sql = """
            SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()
            """
        try await waitUntil("the standby has caught up") {
            try await pool.query(sql).first?.get(0) == Int64(1)
        }
    }

    private func end() async {
        await pool.close()
        try? primary.kill()
    }

    private static func open(_ url: String) -> (EventStore, Pool) {
        let pool = TestDatabase.pool(url)
        return (.postgres(pool: pool), pool)
    }
}
