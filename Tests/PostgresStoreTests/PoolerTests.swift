import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

/// With Debian's pgbouncer between the store and Postgres.
struct PoolerTests {
    @Test(arguments: ["transaction", "statement"])
    func `a pooler that shares sessions is refused`(mode: String) async throws {
        let database = try await TestDatabase.makeEmpty()
        let bouncer = try await PgBouncer(before: database.url, mode: mode)
        defer { bouncer.stop() }
        let pool = Self.pool(bouncer.url)
        // Whatever the pooler has at hand by now.
        for _ in 0..<3 {
            await #expect(throws: PostgresError.sharedSession) { try await pool.query("SELECT 1") }
        }
        await #expect(throws: PostgresError.sharedSession) { _ = try await pool.openDedicated() }
        await pool.close()
    }

    /// Shown not to be shared a moment ago, sessions are believed for a while.
    @Test func `a pooler that begins to share sessions is refused after the first mix-up`()
        async throws
    {
        let database = try await TestDatabase.makeEmpty()
        let bouncer = try await PgBouncer(before: database.url, mode: "session")
        defer { bouncer.stop() }
        let noticed = Lock<[ConnectionRecord.Diagnostic]>([])
        let pool = Self.pool(
            bouncer.url,
            ConnectionRecord { diagnostic in noticed.withLock { $0.append(diagnostic) } })
        var clients: [Connection] = []
        for _ in 0..<2 { clients.append(try await pool.openDedicated()) }
        for client in clients { _ = try await client.query("SELECT 1") }
        // Until a session that is of no more use ends.
        try await Task.sleep(for: .seconds(1.2))
        try await bouncer.reload(mode: "transaction")
        var mixedUp: PostgresError?
        try await waitUntil("one has another's session") {
            for client in clients {
                do throws(PostgresError) { _ = try await client.query("SELECT 1") } catch {
                    mixedUp = error
                }
            }
            return mixedUp != nil
        }
        #expect(mixedUp?.sqlState == "26000")
        #expect(mixedUp?.isTransient == true)
        await #expect(throws: PostgresError.sharedSession) { try await pool.query("SELECT 1") }
        let namesIt = noticed.withLock { diagnostics in
            diagnostics.contains {
                if case .lost(_, let detail) = $0 { detail.contains("a pooler") } else { false }
            }
        }
        #expect(namesIt)
        await pool.close()
    }

    @Test func `behind a pooler that gives each client its own session the store works`()
        async throws
    {
        let database = try await TestDatabase.make()
        let bouncer = try await PgBouncer(before: database.url, mode: "session")
        defer { bouncer.stop() }
        let pool = Self.pool(bouncer.url)
        let store = EventStore.postgres(pool: pool)
        let tenant = try await store.tenants.ensure("acme").id
        var notifications = store.notifications(about: [.appended]).makeAsyncIterator()
        #expect(await notifications.next() == .resumed)

        #expect(
            try await store.log.append(tenant, [Samples.event("1")])
                == [.recorded(position: 1, version: 1)])
        #expect(
            try await store.log.append(tenant, [Samples.event("1")])
                == [.alreadyKnown(position: 1, version: 1)])
        #expect(await notifications.next() == .happened(.appended, tenant))
        // What another node appends is heard through the pooler.
        _ = try await database.store.log.append(tenant, [Samples.event("2")])
        #expect(await notifications.next() == .happened(.appended, tenant))
        try await Samples.foldAll(store)

        let now = Moment(unixSeconds: 1_800_000_000)
        let claim = try #require(try await store.deliveries.claimNext(10, .all, now).first)
        // The lock is the session's, so that nobody else gets it.
        #expect(try await database.store.deliveries.claimNext(10, .all, now).isEmpty)
        let outcome = LedgerRow.Outcome(
            carriedBy: 2, timestamp: 1, accepted: 1, failed: 0, completedAt: now)
        try await store.deliveries.complete(claim, outcome)
        #expect(try await store.deliveries.claimNext(10, .all, now).isEmpty)

        // A statement that takes too long is cancelled through it as well.
        await #expect(throws: PostgresError.timedOut) {
            _ = try await pool.query("SELECT pg_sleep(20)", timeout: .milliseconds(200))
        }
        await pool.close()
    }

    private static func pool(
        _ url: String, _ record: ConnectionRecord = ConnectionRecord()
    ) -> Pool {
        Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: url), acquireTimeoutSeconds: 10),
            loop: TestDatabase.loop, record: record)
    }
}
