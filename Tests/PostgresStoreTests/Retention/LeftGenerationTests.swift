import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A tenant with many activities that have ended, and what a rebuild has left of some of them: its
/// node died before it cleared up.
private struct LeftScene {
    let database: TestDatabase
    let tenant: TenantID

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.store.log.append(tenant, [Samples.event("1", "first")])
        try await Samples.foldAll(database.store, .hold)
        try await database.store.retention.note(
            LogArchive(after: 0, through: 1, place: "/archive", chain: "c"), of: tenant)
        // The live generation is neither the oldest nor the newest.
        _ = try await database.pool.query("UPDATE projection_checkpoint SET generation = 3")
        _ = try await database.pool.query(
            """
            INSERT INTO snapshot (tenant, generation, activity_id, kind, version, position, phase,
                folded, updated_at, due_at, words)
            SELECT $1, g, 'order-' || n, 'Sample', 1, 1, 'ended', ''::bytea, now(), NULL, 'w' || g
            FROM generate_series(1, 5000) AS n, generate_series(1, 4) AS g
            WHERE g = 3 OR n <= 20
            """, [.tenant(tenant)])
        _ = try await database.pool.query("ANALYZE snapshot")
    }

    /// The generations of an activity's snapshots, and its words.
    func left(of activity: String) async throws -> [String] {
        try await database.pool.query(
            """
            SELECT generation::text FROM snapshot WHERE activity_id = $1
            UNION ALL SELECT word FROM activity_word WHERE activity_id = $1 ORDER BY 1
            """, [.text(activity)]
        ).map { try $0.get(0, as: String.self) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `What a rebuild has left` {
    @Test func `is dropped with its activity, and no other's snapshot is read for it`()
        async throws
    {
        let scene = try await LeftScene()
        let whole = ["1", "2", "3", "4", "w1", "w2", "w3", "w4"]
        #expect(try await scene.left(of: "order-7") == whole)
        let session = try await scene.database.pool.openDedicated()
        try await session.script("BEGIN")
        _ = try await session.query(
            "SELECT drop_archived($1, $2::text[], array_fill('infinity'::timestamptz, '{10}'))",
            [.tenant(scene.tenant), .texts((1...10).map { "order-\($0)" })])
        let read: Int64? = try await session.query(
            """
            SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
            WHERE relname = 'snapshot'
            """
        ).first?.get(0)
        try await session.script("COMMIT")
        await session.close()
        let count = try #require(read)
        #expect(count < 1_000)
        #expect(try await scene.left(of: "order-7").isEmpty)
        #expect(try await scene.left(of: "order-11") == whole)
        #expect(try await scene.left(of: "order-21") == ["3", "w3"])
    }

    @Test func `is forgotten when its activity is erased, and found by its key`() async throws {
        let scene = try await LeftScene()
        let session = try await scene.database.pool.openDedicated()
        try await session.script("PREPARE forget AS \(ErasureQueries.forgetOthers)")
        let forget = "EXECUTE forget (\(scene.tenant.rawValue), 'order-7')"
        let rows = try await session.query("EXPLAIN \(forget)")
        let plan = try rows.map { try $0.get(0, as: String.self) }.joined(separator: "\n")
        _ = try await session.query(forget)
        await session.close()
        #expect(plan.contains("Index Cond: ((tenant = 1) AND (generation = ANY ("), "\(plan)")
        #expect(try await scene.left(of: "order-7") == ["3", "w1", "w2", "w3", "w4"])
        #expect(try await scene.left(of: "order-8").prefix(4) == ["1", "2", "3", "4"])
    }

    @Test func `stays while a rebuild is under way, and so does the activity`() async throws {
        let scene = try await LeftScene()
        let rebuild = try await scene.database.store.rebuilds.begin(scene.tenant, "test", [:])
        #expect(rebuild.generation == 5)
        let activity = DroppableActivity(
            id: ActivityID(rawValue: "order-7"), before: Moment(unixSeconds: 4_000_000_000))
        await #expect(throws: EventStoreError.self) {
            try await scene.database.store.retention.drop(scene.tenant, [activity])
        }
        #expect(try await scene.left(of: "order-7").prefix(4) == ["1", "2", "3", "4"])
    }
}
