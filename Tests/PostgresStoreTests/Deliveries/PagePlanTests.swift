import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A fan-out asks for one page of phones after the other.
struct `A page of phones` {
    /// One activity with all phones of its tenant, two of which are owed a push.
    private func makeCrowd() async throws -> (scene: DeliveryScene, claim: DeliveryClaim) {
        let scene = try await DeliveryScene()
        let pool = scene.database.pool
        _ = try await pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
            SELECT $1, $2, repeat(md5(n::text), 2), 'sandbox', 'com.example'
            FROM generate_series(1, 5000) AS n
            """, [.tenant(scene.tenant), .activity(scene.activity)])
        _ = try await pool.query(
            """
            UPDATE registration SET retry_at = 'epoch'
            WHERE id IN (SELECT id FROM registration ORDER BY id LIMIT 2 OFFSET 3000)
            """)
        _ = try await pool.query("ANALYZE registration")
        return (scene, try #require(try await scene.claim().first))
    }

    /// In a session that has asked for the same often enough to keep a plan.
    private func plan(
        of statements: [Statement], _ arguments: String, in scene: DeliveryScene
    ) async throws -> [String] {
        let session = try await scene.database.pool.openDedicated()
        let last = try #require(statements.last)
        try await session.script("PREPARE page AS \(last.sql); BEGIN")
        for statement in statements.dropLast() {
            _ = try await session.query(statement.sql, statement.parameters)
        }
        var plan: [String] = []
        for _ in 0..<7 {
            plan = try await session.query("EXPLAIN EXECUTE page (\(arguments))").map {
                try $0.get(0, as: String.self)
            }
        }
        await session.close()
        return plan
    }

    @Test func `is found by its activity, though the tenant had one only when it was planned`()
        async throws
    {
        let (scene, claim) = try await makeCrowd()
        let statements = PostgresDeliveryStore.page(of: claim, owedBy: nil, 0, 500)
        let plan = try await plan(of: statements, "1, 'order-1', 0, 500", in: scene)
        #expect(plan.contains { $0.contains("using registration_living") })
        // The plan is nobody's in particular.
        #expect(plan.contains { $0.contains("(activity_id >= $2)") })
        #expect(!plan.contains { $0.contains("Filter") })
    }

    @Test func `that are owed a push is found by that, and not among all others`() async throws {
        let (scene, claim) = try await makeCrowd()
        let statements = PostgresDeliveryStore.page(of: claim, owedBy: scene.now, 0, 500)
        let plan = try await plan(of: statements, "1, 'order-1', 0, 500, now(), NULL", in: scene)
        #expect(plan.contains { $0.contains("using registration_owed") })
        let page = try await scene.store.deliveries.page(claim, true, scene.now, 0, 500)
        #expect(page.count == 2)
    }

    @Test func `goes on where the last one ended, with the same phones either way`() async throws {
        let (scene, claim) = try await makeCrowd()
        let all = try await scene.store.deliveries.page(claim, false, scene.now, 0, 9000)
        #expect(all.count == 5000)
        let middle = all[2499].id
        let rest = try await scene.store.deliveries.page(claim, false, scene.now, middle, 100)
        #expect(rest.map(\.id) == all[2500..<2600].map(\.id))
        let owed = try await scene.store.deliveries.page(claim, true, scene.now, middle, 100)
        #expect(owed.map(\.id) == all[2500...].filter(\.isOwed).map(\.id))
    }

    /// As one does whose commit waits for a standby, or for somebody else's lock.
    @Test func `does not wait for another activity's completion that hangs`() async throws {
        let scene = try await DeliveryScene()
        _ = try await scene.store.log.append(scene.tenant, [Samples.event("other", "order-2")])
        try await Samples.foldAll(scene.store)
        let claims = try await scene.claim()
        let owned = try #require(claims.first { $0.snapshot.activityID == scene.activity })
        let other = try #require(claims.first { $0.snapshot.activityID != scene.activity })
        let blocker = try await scene.database.pool.openDedicated()
        try await blocker.script(
            "BEGIN; SELECT FROM delivery_state WHERE activity_id = 'order-2' FOR UPDATE")
        let completing = Task {
            try await scene.store.deliveries.complete(other, scene.outcome(1))
        }
        try await scene.database.waitForLock()
        let page = try await scene.store.deliveries.page(owned, false, scene.now, 1, 500)
        #expect(page.isEmpty)
        let renewed = try await scene.store.deliveries.renew(owned, scene.now)
        #expect(renewed == nil)
        try await blocker.script("COMMIT")
        await blocker.close()
        try await completing.value
    }
}
