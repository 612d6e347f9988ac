import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

struct ProjectionStoreTests {
    @Test func `snapshots come back byte for byte and decisions whole`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("1"), Samples.event("2", "order-2")])
        try await Samples.foldAll(store, .alert)
        let events = try await store.log.read(tenant, 0, 10)
        let stored = try await store.snapshots(of: tenant)
        #expect(stored == events.map { Samples.snapshot($0) })
        let changed = try await store.projections.changes(
            tenant, after: .init(position: 1), 10, isFollowing: false
        ).all
        #expect(changed.map(\.snapshot) == [stored[1]])
        #expect(changed.map(\.place) == [.init(position: 2)])
        #expect(try await store.projections.snapshot(tenant, stored[0].activityID) == stored[0])
        let rows = try await store.projections.decisions(tenant, stored[0].activityID, 0, 10)
        #expect(rows == [LedgerRow(decision: Samples.decision(events[0], .alert), outcome: nil)])
    }

    @Test func `a fold sees the events after the checkpoint and their snapshots`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, (1...5).map { Samples.event("\($0)") })
        let seen = Lock<[FoldBatch]>([])
        let fold = { @Sendable (batch: FoldBatch) in
            seen.withLock { $0.append(batch) }
            return Samples.fold(batch, .hold)
        }
        var counts: [Int] = []
        while let folded = try await store.projections.foldNext(nil, 2, fold) {
            counts.append(folded.count)
        }
        #expect(counts == [2, 2, 1])
        let batches = seen.withLock { $0 }
        #expect(batches.flatMap(\.events).map(\.position) == [1, 2, 3, 4, 5])
        #expect(batches.map { $0.snapshots.values.first?.version } == [nil, 2, 4])
        #expect(try await store.projections.checkpoint(tenant) == 5)
    }

    @Test func `two followers at once never fold an event twice and overlap no tenant`()
        async throws
    {
        let database = try await TestDatabase.make()
        let nodes = [database.store, EventStore.postgres(pool: database.makePool())]
        for number in 0..<4 {
            let tenant = try await nodes[0].tenants.ensure("tenant \(number)").id
            _ = try await nodes[0].log.append(tenant, (0..<50).map { Samples.event("\($0)") })
        }
        let folded = Lock<[String: Int]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for follower in 0..<4 {
                group.addTask {
                    var idleRounds = 0
                    while idleRounds < 3 {
                        let batch = try await nodes[follower % 2].projections.foldNext(nil, 7) {
                            batch in
                            folded.withLock { folded in
                                for event in batch.events {
                                    folded["\(batch.tenant) \(event.position)", default: 0] += 1
                                }
                            }
                            return Samples.fold(batch, .hold)
                        }
                        idleRounds = batch == nil ? idleRounds + 1 : 0
                    }
                }
            }
            try await group.waitForAll()
        }
        try await Samples.foldAll(nodes[0], .hold)
        let counts = folded.withLock { $0 }
        // Each was folded, and a fold that did not commit would have left a decision missing.
        #expect(counts.values.allSatisfy { $0 == 1 })
        for tenant in try await nodes[0].tenants.all() {
            #expect(try await nodes[0].projections.checkpoint(tenant.id) == 50)
            let rows = try await nodes[0].projections.decisions(
                tenant.id, ActivityID(rawValue: "order-1"), 0, 100)
            #expect(rows.map(\.decision.version) == Array(1...50))
        }
    }

    @Test func `a fold whose outcome is refused moves nothing`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        await #expect(throws: EventStoreError.self) {
            try await store.projections.foldNext(nil, 10) { batch in
                var outcome = Samples.fold(batch, .hold)
                outcome.decisions += outcome.decisions
                return outcome
            }
        }
        #expect(try await store.projections.checkpoint(tenant) == 0)
        #expect(try await store.snapshots(of: tenant).isEmpty)
        try await Samples.foldAll(store)
        #expect(try await store.projections.checkpoint(tenant) == 1)
    }

    @Test func `an event that cannot be folded is parked and the rest goes on`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        _ = try await store.projections.foldNext(nil, 10) { batch in
            FoldResult(
                snapshots: [], decisions: [],
                parked: batch.events.map {
                    ParkedEvent(
                        position: $0.position, activityID: $0.event.activityID, reason: "odd")
                })
        }
        #expect(try await store.projections.checkpoint(tenant) == 1)
        let rows = try await database.pool.query("SELECT reason FROM parked_event")
        #expect(try rows.map { try $0.get(0, as: String.self) } == ["odd"])
    }

    @Test func `every stream hears what any node does`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        var first = database.store.notifications().makeAsyncIterator()
        var second = database.store.notifications().makeAsyncIterator()
        #expect(await first.next() == .resumed)
        #expect(await second.next() == .resumed)
        let other = EventStore.postgres(pool: database.makePool())
        _ = try await other.log.append(tenant, [Samples.event("1")])
        #expect(await first.next() == .happened(.appended, tenant))
        #expect(await second.next() == .happened(.appended, tenant))
        try await Samples.foldAll(other)
        #expect(await first.next() == .happened(.folded, tenant))
        _ = try await other.registrations.register(
            tenant, ActivityID(rawValue: "order-1"), Samples.token("a"), .sandbox, "com.example")
        #expect(await first.next() == .happened(.phonesWaiting, tenant))
        _ = try await database.pool.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE (query LIKE 'LISTEN%' OR query = 'SELECT pg_backend_pid()')
                AND datname = current_database()
            """)
        #expect(await first.next() == .lost)
        #expect(await first.next() == .resumed)
    }

    @Test func `nobody hears of an append that records nothing`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        var notifications = store.notifications(about: [.appended, .phonesWaiting])
            .makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        _ = try await store.log.append(tenant, [Samples.event("1")])
        #expect(await notifications.next() == .happened(.appended, tenant))
        #expect(
            try await store.log.append(tenant, [Samples.event("1")])
                == [.alreadyKnown(position: 1, version: 1)])
        try await Samples.foldAll(store)
        _ = try await store.registrations.register(
            tenant, ActivityID(rawValue: "order-1"), Samples.token("a"), .sandbox, "com.example")
        #expect(await notifications.next() == .happened(.phonesWaiting, tenant))
    }
}
