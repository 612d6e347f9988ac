import Domain
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

/// A node that stops while it claims gives back what it was claiming, and nothing else.
struct `A claim that is cancelled` {
    private func changed(_ scene: DeliveryScene, _ id: String, _ activity: String) async throws {
        _ = try await scene.store.log.append(scene.tenant, [Samples.event(id, activity)])
        try await Samples.foldAll(scene.store)
    }

    private func claim(
        _ scene: DeliveryScene, _ scope: ClaimScope = .hinted, after seconds: Double = 0
    ) async throws -> [DeliveryClaim] {
        try await scene.store.deliveries.claimNext(
            10, scope, scene.now.adding(seconds: seconds))
    }

    @Test(arguments: [ClaimScope.hinted, .all])
    func `while the database works on it leaves no lock behind, and no other claim void`(
        scope: ClaimScope
    ) async throws {
        let scene = try await DeliveryScene([])
        // A node keeps what it decides from the first time on that somebody asks.
        #expect(try await claim(scene).isEmpty)
        try await changed(scene, "1", "order-1")
        try await changed(scene, "2", "order-2")
        let claims = try await claim(scene)
        let owned = try #require(claims.first { $0.snapshot.activityID.rawValue == "order-1" })
        let other = try #require(claims.first { $0.snapshot.activityID.rawValue == "order-2" })
        try await scene.store.deliveries.complete(other, scene.outcome(1))
        try await changed(scene, "3", "order-2")
        let blocker = try await scene.database.pool.openDedicated()
        try await blocker.script(
            "BEGIN; SELECT FROM delivery_state WHERE activity_id = 'order-2' FOR UPDATE")
        let cancelled = Task { try await claim(scene, scope, after: 1) }
        try await scene.database.waitForLock()
        cancelled.cancel()
        await #expect(throws: EventStoreError.self) { try await cancelled.value }
        try await blocker.script("COMMIT")
        await blocker.close()
        let node = EventStore.postgres(pool: scene.database.makePool())
        let next = try await scene.claim(node, after: 2)
        #expect(next.map(\.snapshot.activityID.rawValue) == ["order-2"])
        try await scene.store.deliveries.complete(owned, scene.outcome(1))
        #expect(try await scene.ledger().last?.outcome?.carriedBy == 1)
    }

    /// As by a node that is stopped in the midst of its claim.
    @Test func `after its stamp was committed is not called taken over by the next node`()
        async throws
    {
        let scene = try await DeliveryScene()
        let blocker = try await scene.database.pool.openDedicated()
        // What a claim reads last.
        try await blocker.script("BEGIN; LOCK TABLE log_head")
        let cancelled = Task { try await claim(scene, .all) }
        try await scene.database.waitForLock()
        cancelled.cancel()
        await #expect(throws: EventStoreError.self) { try await cancelled.value }
        try await blocker.script("COMMIT")
        await blocker.close()
        let stamped = try await scene.database.pool.query(
            "SELECT count(*) FROM delivery_state WHERE last_timestamp > 0")
        #expect(try stamped.first?.get(0) == Int64(1))
        let node = EventStore.postgres(pool: scene.database.makePool(), node: "next")
        let next = try #require(try await scene.claim(node, after: 1).first)
        #expect(next.takenFrom == nil)
    }

    /// The second lock that a look tries for does something else first.
    private func obstruct(_ scene: DeliveryScene, _ something: String) async throws {
        let session = try await scene.database.pool.openDedicated()
        try await session.script(
            """
            CREATE TABLE gate ();
            CREATE SEQUENCE looked START 100;
            CREATE FUNCTION public.hashtext(key text) RETURNS int LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('looked') = 2 THEN \(something); END IF;
                RETURN pg_catalog.hashtext(key);
            END $$
            """)
        await session.close()
        // Sessions that begin from now on find that function first.
        let pool = scene.database.pool
        pool.replaceURL(pool.url + "&options=-csearch_path%3Dpublic%2Cpg_catalog")
    }

    private func countAgain(_ scene: DeliveryScene) async throws {
        _ = try await scene.database.pool.query("SELECT setval('looked', 1, false)")
    }

    @Test func `while it takes one lock after the other leaves none behind, and no claim void`()
        async throws
    {
        let scene = try await DeliveryScene([])
        try await obstruct(scene, "PERFORM FROM gate")
        try await changed(scene, "1", "order-1")
        let owned = try #require(try await claim(scene, .all).first)
        try await changed(scene, "2", "order-2")
        try await changed(scene, "3", "order-3")
        let blocker = try await scene.database.pool.openDedicated()
        try await blocker.script("BEGIN; LOCK TABLE gate")
        try await countAgain(scene)
        let cancelled = Task { try await claim(scene, .all, after: 1) }
        try await scene.database.waitForLock()
        cancelled.cancel()
        // For as long as a question to cancel the statement would need.
        try await Task.sleep(for: .milliseconds(300))
        try await blocker.script("COMMIT")
        await blocker.close()
        await #expect(throws: EventStoreError.self) { try await cancelled.value }
        let node = EventStore.postgres(pool: scene.database.makePool())
        let next = try await scene.claim(node, after: 2)
        #expect(Set(next.map(\.snapshot.activityID.rawValue)) == ["order-2", "order-3"])
        try await scene.store.deliveries.complete(owned, scene.outcome(1))
    }

    @Test func `by the database while it looks leaves no lock behind, and no claim void`()
        async throws
    {
        let scene = try await DeliveryScene([])
        try await obstruct(scene, "RAISE EXCEPTION 'the second lock fails'")
        try await changed(scene, "1", "order-1")
        let owned = try #require(try await claim(scene, .all).first)
        try await changed(scene, "2", "order-2")
        try await changed(scene, "3", "order-3")
        try await countAgain(scene)
        await #expect(throws: EventStoreError.self) { try await claim(scene, .all, after: 1) }
        let node = EventStore.postgres(pool: scene.database.makePool())
        let next = try await scene.claim(node, after: 2)
        #expect(Set(next.map(\.snapshot.activityID.rawValue)) == ["order-2", "order-3"])
        try await scene.store.deliveries.complete(owned, scene.outcome(1))
    }

    @Test func `before it has locked anything spares the lock that another name shares with it`()
        async throws
    {
        let scene = try await DeliveryScene([])
        #expect(try await claim(scene).isEmpty)
        let row = try #require(
            try await scene.database.pool.query(
                """
                SELECT min(name), max(name)
                FROM (SELECT 'order-' || n AS name FROM generate_series(1, 400000) AS n) AS names
                GROUP BY hashtext(name) HAVING count(*) > 1 LIMIT 1
                """
            ).first)
        try await changed(scene, "1", try row.get(0, as: String.self))
        let owned = try #require(try await claim(scene).first)
        try await changed(scene, "2", try row.get(1, as: String.self))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await claim(scene)
        }
        await #expect(throws: EventStoreError.self) { try await cancelled.value }
        let node = EventStore.postgres(pool: scene.database.makePool())
        #expect(try await scene.claim(node, after: 1).isEmpty)
        await scene.store.deliveries.release(owned)
        #expect(try await scene.claim(node, after: 1).count == 2)
    }
}
