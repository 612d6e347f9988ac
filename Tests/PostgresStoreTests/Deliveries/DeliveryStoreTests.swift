import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

struct DeliveryStoreTests {
    @Test func `a claim carries the newest state and everything unsettled`() async throws {
        let scene = try await DeliveryScene([.timely, .hold, .alert])
        let claim = try #require(try await scene.claim().first)
        #expect(claim.snapshot.version == 3)
        #expect(claim.pending.map(\.version) == [1, 3])
        #expect(claim.lastCompleted == nil)
        #expect(claim.timestamp == scene.now.unixSeconds)
        #expect(try await scene.claim(after: 5).isEmpty)
        try await scene.store.deliveries.complete(claim, scene.outcome(3))
        #expect(try await scene.ledger().map { $0.outcome?.carriedBy } == [3, nil, 3])
        #expect(try await scene.claim(after: 10).isEmpty)
        #expect(try await scene.store.deliveries.nextDue() == nil)
    }

    @Test func `an activity gets one push a second and its timestamp only grows`() async throws {
        let scene = try await DeliveryScene()
        let first = try #require(try await scene.claim().first)
        await scene.store.deliveries.release(first)
        #expect(try await scene.claim().isEmpty)
        #expect(try await scene.claim(after: 0.9).isEmpty)
        #expect(try await scene.claim(after: -100).isEmpty)
        #expect(
            try await scene.store.deliveries.nextDue()
                == Moment(unixSeconds: scene.now.unixSeconds + 1))
        let second = try #require(try await scene.claim(after: 1).first)
        #expect(second.timestamp == first.timestamp + 1)
        await scene.store.deliveries.release(second)
        // Durable: another process sees it.
        let other = EventStore.postgres(pool: scene.database.makePool())
        #expect(try await scene.claim(other, after: 1).isEmpty)
        #expect(try await scene.claim(other, after: 2).first?.timestamp == second.timestamp + 1)
    }

    @Test func `two nodes never own the same activity`() async throws {
        let scene = try await DeliveryScene()
        let other = EventStore.postgres(pool: scene.database.makePool())
        let first = try #require(try await scene.claim().first)
        #expect(try await scene.claim(other, after: 5).isEmpty)
        await scene.store.deliveries.release(first)
        #expect(try await scene.claim(other, after: 5).count == 1)
        #expect(try await scene.claim(after: 9).isEmpty)
    }

    @Test func `many claimants at once share the activities without overlap`() async throws {
        let scene = try await DeliveryScene([])
        let names = (0..<40).map { "order-\($0)" }
        _ = try await scene.store.log.append(
            scene.tenant, names.map { Samples.event($0, $0) })
        try await Samples.foldAll(scene.store)
        let nodes = [scene.store, EventStore.postgres(pool: scene.database.makePool())]
        let claimed = Lock<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 where claimed.withLock({ $0.count }) < names.count {
                        let claims = try await nodes[number % 2].deliveries.claimNext(
                            3, .all, scene.now)
                        let mine = claims.map(\.snapshot.activityID.rawValue)
                        claimed.withLock { $0 += mine }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(claimed.withLock { $0.sorted() } == names.sorted())
    }

    @Test func `a claim is void when its connection dies, and another node gets it`() async throws {
        let scene = try await DeliveryScene()
        let claim = try #require(try await scene.claim().first)
        _ = try await scene.database.pool.query(
            """
            SELECT pg_terminate_backend(l.pid) FROM pg_locks l
            WHERE l.locktype = 'advisory' AND l.database = (
                SELECT oid FROM pg_database WHERE datname = current_database()
            )
            """)
        let other = EventStore.postgres(pool: scene.database.makePool())
        var taken: [DeliveryClaim] = []
        try await waitUntil {
            taken = try await scene.claim(other, after: 2)
            return !taken.isEmpty
        }
        #expect(taken[0].timestamp == claim.timestamp + 2)
        let deliveries = scene.store.deliveries
        let error = await #expect(throws: EventStoreError.self) {
            try await deliveries.complete(claim, scene.outcome(1))
        }
        #expect(error?.isTransient == true)
        await #expect(throws: EventStoreError.self) { try await deliveries.record(claim, []) }
        await #expect(throws: EventStoreError.self) {
            try await deliveries.page(claim, false, scene.now, 0, 10)
        }
        #expect(try await scene.ledger()[0].outcome == nil)
        #expect(try await scene.claim(after: 9).isEmpty)
        try await other.deliveries.complete(taken[0], scene.outcome(1))
        #expect(try await scene.ledger()[0].outcome != nil)
    }

    @Test func `a completed or released claim cannot be used again`() async throws {
        let scene = try await DeliveryScene()
        let claim = try #require(try await scene.claim().first)
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        await #expect(throws: EventStoreError.self) {
            try await scene.store.deliveries.complete(claim, scene.outcome(1))
        }
        await scene.store.deliveries.release(claim)
    }

    @Test func `other nodes hear of a completion, and nobody here`() async throws {
        let scene = try await DeliveryScene()
        let other = EventStore.postgres(pool: scene.database.makePool())
        var here = scene.store.notifications().makeAsyncIterator()
        var there = other.notifications(about: [.completed]).makeAsyncIterator()
        #expect(await here.next() == .resumed)
        #expect(await there.next() == .resumed)
        let claim = try #require(try await scene.claim().first)
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        #expect(await there.next() == .happened(.completed, scene.tenant))
        _ = try await scene.register("a")
        #expect(await here.next() == .happened(.phonesWaiting, scene.tenant))
    }

    @Test func `a change that came during a fan-out stays to be sent`() async throws {
        let scene = try await DeliveryScene()
        let claim = try #require(try await scene.claim().first)
        try await scene.change(.alert)
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        #expect(try await scene.ledger().map { $0.outcome?.carriedBy } == [1, nil])
        let next = try #require(try await scene.claim(after: 1).first)
        #expect(next.pending.map(\.version) == [2])
        #expect(next.lastCompleted?.version == 1)
    }

    @Test func `nothing is sent after the end`() async throws {
        let scene = try await DeliveryScene([.timely, .end, .timely])
        let claim = try #require(try await scene.claim().first)
        #expect(claim.pending.map(\.version) == [1, 2])
        try await scene.store.deliveries.complete(claim, scene.outcome(2))
        #expect(try await scene.claim(after: 5).isEmpty)
        #expect(try await scene.store.deliveries.nextDue() == nil)
        _ = try await scene.register("a")
        let owed = try #require(try await scene.claim(after: 5).first)
        #expect(owed.pending.isEmpty)
        #expect(owed.lastCompleted?.verdict == .end)
    }

    @Test func `phones are paged in order and remember what happened to them`() async throws {
        let scene = try await DeliveryScene()
        let ids = try await [
            scene.register("a"), scene.register("b"), scene.register("c"), scene.register("d"),
        ]
        let deliveries = scene.store.deliveries
        let claim = try #require(try await scene.claim().first)
        let page = try await deliveries.page(claim, false, scene.now, 0, 3)
        #expect(page.map(\.id) == Array(ids.prefix(3)))
        #expect(page[0].pushToken == Samples.token("a"))
        #expect(try await deliveries.page(claim, false, scene.now, ids[2], 3).map(\.id) == [ids[3]])
        let later = scene.now.adding(seconds: 30)
        try await deliveries.record(
            claim,
            [
                scene.result(ids[0], .accepted(version: 1)),
                scene.result(ids[1], .retry(at: later, reason: "busy")),
                scene.result(
                    ids[2], .dead(reason: "Unregistered", since: nil, retryAt: later)),
                scene.result(ids[3], .givenUp(reason: "BadTopic")),
            ])
        try await deliveries.complete(claim, scene.outcome(1))
        #expect(try await scene.store.phoneCount(scene.tenant, scene.activity) == 3)
        #expect(try await deliveries.nextDue() == later)
        #expect(try await scene.claim(after: 29).isEmpty)
        let retry = try #require(try await scene.claim(after: 30).first)
        #expect(retry.pending.isEmpty)
        let owed = try await deliveries.page(retry, true, later, 0, 10)
        #expect(owed.map(\.id) == [ids[1]])
        #expect(owed[0].attempts == 1)
        let living = try await deliveries.page(retry, false, later, 0, 10)
        #expect(living.map(\.sentVersion) == [1, 0, 0])
        #expect(living.map(\.attempts) == [0, 1, 1])
    }

    @Test func `a phone that is up to date has what was completed last, until its card is closed`()
        async throws
    {
        let scene = try await DeliveryScene()
        let deliveries = scene.store.deliveries
        let id = try await scene.register("a")
        for version in Int64(1)...3 {
            if version > 1 { try await scene.change(.timely) }
            let claim = try #require(try await scene.claim(after: Double(version) * 5).first)
            if version == 1 {
                try await deliveries.record(claim, [scene.result(id, .accepted(version: 1))])
            }
            try await deliveries.complete(claim, scene.outcome(version))
            let phones = try await scene.store.replays.phones(scene.tenant, scene.activity, 0, 9)
            #expect(phones.first?.sentVersion == min(version, 2))
            if version == 2 {
                _ = try await scene.store.registrations.change(
                    scene.tenant, scene.activity,
                    .rotate(from: Samples.token("a"), to: Samples.token("b")), CardMachine.handle)
            }
        }
    }

    @Test func `a token that APNs refused for good says why, and what its phone had`()
        async throws
    {
        let scene = try await DeliveryScene()
        let deliveries = scene.store.deliveries
        let ids = try await [scene.register("a"), scene.register("b"), scene.register("c")]
        let claim = try #require(try await scene.claim().first)
        try await deliveries.record(
            claim,
            [
                scene.result(ids[0], .accepted(version: 1)),
                scene.result(ids[1], .unfit(reason: "BadDeviceToken")),
                scene.result(ids[2], .givenUp(reason: "PayloadTooLarge")),
            ])
        let refusals = try await scene.store.registrations.behind(scene.tenant, scene.activity)
            .refusals
        #expect(refusals.map(\.reason).sorted() == ["BadDeviceToken", "PayloadTooLarge"])
        #expect(refusals.allSatisfy { $0.after == 0 && $0.closedAt == nil })
        #expect(refusals.allSatisfy { $0.refusedAt != nil })
    }

    @Test func `a phone that waits for another try says why, unless it waits for its app`()
        async throws
    {
        let scene = try await DeliveryScene()
        let deliveries = scene.store.deliveries
        let ids = try await [scene.register("a"), scene.register("b")]
        let claim = try #require(try await scene.claim().first)
        let soon = scene.now.adding(seconds: 5)
        try await deliveries.record(
            claim,
            [
                scene.result(ids[0], .retry(at: soon, reason: "TooManyRequests")),
                scene.result(
                    ids[1], .retry(at: soon, reason: AppSuspension.keyRefused.rawValue)),
            ])
        try await deliveries.complete(claim, scene.outcome(1))
        let store = scene.store.registrations
        let waiting = try await store.behind(scene.tenant, scene.activity).refusals
        #expect(waiting.map(\.reason) == ["TooManyRequests"])
        #expect(waiting.first?.refusedAt == nil && waiting.first?.after == 0)
        // Once it has what it missed, nothing is said of it.
        let owed = try #require(try await scene.claim(after: 5).first)
        try await deliveries.record(owed, [scene.result(ids[0], .accepted(version: 1))])
        #expect(try await store.behind(scene.tenant, scene.activity).refusals == [])
    }

    @Test func `a phone that registers again is alive and owed the newest state`() async throws {
        let scene = try await DeliveryScene()
        let deliveries = scene.store.deliveries
        let id = try await scene.register("a")
        let claim = try #require(try await scene.claim().first)
        try await deliveries.record(
            claim, [scene.result(id, .dead(reason: "Unregistered", since: nil, retryAt: scene.now))]
        )
        try await deliveries.complete(claim, scene.outcome(1))
        #expect(try await scene.claim(after: 5).isEmpty)
        let again = try await scene.store.registrations.register(
            scene.tenant, scene.activity, Samples.token("a"), .production, "com.example")
        #expect(again.id == id)
        #expect(!again.isNew)
        let owed = try #require(try await scene.claim(after: 5).first)
        let page = try await deliveries.page(owed, true, scene.now, 0, 10)
        #expect(page.map(\.environment) == [.production])
    }

    @Test func `a phone quicker than the first event waits for it and is then owed it`()
        async throws
    {
        let scene = try await DeliveryScene([])
        _ = try await scene.register("a")
        #expect(try await scene.claim().isEmpty)
        #expect(try await scene.store.deliveries.nextDue() == nil)
        try await scene.change(.hold)
        let claim = try #require(try await scene.claim().first)
        #expect(claim.pending.isEmpty)
        #expect(try await scene.store.deliveries.page(claim, true, scene.now, 0, 9).count == 1)
    }

    @Test func `a claim comes with the policies that are there by then`() async throws {
        let scene = try await DeliveryScene()
        for version in 1...3 as ClosedRange<Int64> {
            if version > 1 {
                _ = try await scene.store.policies.put(
                    scene.tenant, "Sample", nil, Data(#"{"n":\#(version)}"#.utf8))
                try await scene.change(.timely)
            }
            let claim = try #require(try await scene.claim(after: Double(version) * 2).first)
            #expect(claim.policies.revision == Int(version) - 1)
            let newest = try await scene.store.policies.newest(scene.tenant)
            #expect(claim.policies.all == newest)
            try await scene.store.deliveries.complete(claim, scene.outcome(version))
        }
    }
}
