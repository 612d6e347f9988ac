import Domain
@testable import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

/// A primary that waits for a synchronous standby, and the standby.
struct ReplicationTests {
    private let primary: PrivatePostgres
    private let standby: CopiedServer
    private let pool: Pool
    private let store: EventStore
    private let tenant: TenantID

    init() async throws {
        let directory = TestServer.temporaryDirectory()
        primary = try await PrivatePostgres.start(
            dataDirectory: directory, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        pool = TestDatabase.pool(primary.url)
        store = Self.store(pool)
        _ = try await EventStore.migrator.migrate(pool)
        tenant = try await store.tenants.ensure("acme").id
        standby = try CopiedServer.standby(of: primary, in: directory + "-standby")
        try await pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await connection.script("SELECT pg_reload_conf()")
        }
        try await standbyIsThere()
    }

    @Test func `what is acknowledged outlives the primary, and the rest is said to be unknown`()
        async throws
    {
        #expect(try await append(store, "1") == .recorded(position: 1, version: 1))
        try standby.kill()
        await #expect(throws: Self.unknown) { try await append(store, "2") }
        // Standing in the primary's log is not enough for an acknowledgement either.
        await #expect(throws: Self.unknown) { try await append(store, "2") }
        try standby.start()
        try await standbyIsThere()
        #expect(try await append(store, "2") == .alreadyKnown(position: 2, version: 2))
        try standby.kill()
        await #expect(throws: Self.unknown) { try await append(store, "3") }

        await pool.close()
        try primary.kill()
        try standby.start()
        try standby.promote()
        defer { try? standby.kill() }
        let promoted = TestDatabase.pool(standby.url)
        let heir = Self.store(promoted)
        let inherited = try await heir.log.read(tenant, 0, 10)
        #expect(inherited.map(\.event.id) == ["1", "2"])
        #expect(try await append(heir, "3") == .recorded(position: 3, version: 3))
        await promoted.close()
    }

    @Test func `a commit that was not replicated fails, however it came about`()
        async throws
    {
        try standby.kill()
        await #expect(throws: PostgresError.notReplicated) {
            try await pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("BEGIN; CREATE TABLE lonely (number int8)")
                try await connection.script("COMMIT", timeout: .milliseconds(300))
            }
        }
        await #expect(throws: PostgresError.notReplicated) {
            _ = try await pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.query(
                    "INSERT INTO lonely VALUES (1)", timeout: .milliseconds(300))
            }
        }
        #expect(pool.record.current.commitsNotReplicated == 2)
        // The next call on the same connection has nothing to do with it.
        #expect(try await pool.query("SELECT count(*) FROM lonely").first?.get(0) == Int64(1))
        await pool.close()
        try primary.kill()
    }

    /// Nor does one that waits behind another's commit.
    @Test func `nobody waits longer for a standby than a call may take`() async throws {
        #expect(try await append(store, "1") == .recorded(position: 1, version: 1))
        try standby.kill()
        let (log, shop) = (store.log, tenant)
        let longest = await withTaskGroup(of: Duration.self) { group in
            // One is committed, one is sent ahead, and the others wait for their turn.
            for number in 2...5 {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(50 * number))
                    let began = ContinuousClock.now
                    await #expect(throws: EventStoreError.self) {
                        try await log.append(shop, [Samples.event("\(number)")])
                    }
                    return ContinuousClock.now - began
                }
            }
            var longest = Duration.zero
            for await waited in group { longest = max(longest, waited) }
            return longest
        }
        #expect(longest < .seconds(2.3))
        await pool.close()
        try primary.kill()
    }

    private static let unknown = EventStoreError.outcomeUnknown(
        detail: "committed, but no synchronous standby has confirmed it in time")

    private static func store(_ pool: Pool) -> EventStore {
        .postgres(
            pool: pool,
            appending: AppendLimits(queuedEventsMax: 100, queueWaitSeconds: 10, answerSeconds: 1.5))
    }

    private func append(_ store: EventStore, _ id: String) async throws -> AppendResult? {
        try await store.log.append(tenant, [Samples.event(id)]).first
    }

    private func standbyIsThere() async throws {
        let sql = "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
        try await waitUntil("the standby is there") {
            try await pool.query(sql).first?.get(0) == Int64(1)
        }
    }
}
