import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

struct `A sender that does not learn when something is due` {
    @Test func `says so`() async throws {
        let scene = try await Scene()
        let error = EventStoreError.unavailable(detail: "too slow")
        var store = scene.store
        store.deliveries = FailingDeliveries(
            base: store.deliveries, beforeDue: { () throws(EventStoreError) in throw error })
        let running = Task { [store] in await scene.sender(store).run() }
        try await waitUntil("it is reported", within: 20) {
            scene.diagnostics.contains(.store(error))
        }
        running.cancel()
        await running.value
    }
}

struct `A sender that may not claim what is due` {
    /// As while the database takes no writes, or a privilege is missing.
    @Test(
        arguments: [
            .unavailable(detail: "no writes"), .failed(sqlState: "42501", detail: "denied"),
        ] as [EventStoreError])
    func `tries again about once a second`(refusal: EventStoreError) async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        let tries = Lock(0)
        var store = scene.store
        store.deliveries = FailingDeliveries(
            base: store.deliveries,
            beforeClaim: { () throws(EventStoreError) in
                tries.withLock { $0 += 1 }
                throw refusal
            })
        let running = Task { [store] in await scene.sender(store).run() }
        try await waitUntil("it has tried", within: 20) { tries.withLock { $0 > 0 } }
        let before = tries.withLock { $0 }
        try await Task.sleep(for: .seconds(3))
        // For what was decided here and for the rest.
        let after = tries.withLock { $0 }
        #expect(after - before < 25)
        running.cancel()
        await running.value
    }
}

struct `A fan-out that is cut short` {
    @Test func `after its pushes is made again by another node, with a later time`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"))
        let crashing = scene.anotherNode()
        scene.transport.answer { _ in
            // The push has gone out; the node dies before it can write that down.
            await crashing.pool.close()
            return .accepted
        }
        await scene.sender(crashing.store).drain()
        let first = try #require(scene.transport.pushes.first)
        #expect(try await scene.outcomes().compactMap(\.self).isEmpty)
        #expect(!scene.diagnostics.isEmpty)
        scene.transport.answer { _ in .accepted }
        let again = await untilSent(scene)
        #expect(again.count == 1)
        #expect(try #require(again.first?.timestamp) > first.timestamp ?? .max)
        #expect(again.first?.text.contains(try await scene.contentState()) == true)
        let outcomes = try await scene.outcomes().compactMap(\.self)
        #expect(outcomes.map(\.accepted) == [1, 1])
        #expect(outcomes.map(\.timestamp) == [again.first?.timestamp, again.first?.timestamp])
        #expect(await scene.send(after: 600).isEmpty)
    }

    /// The database notices a lost connection in its own time.
    private func untilSent(_ scene: Scene) async -> [RecordingTransport.Push] {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            let pushes = await scene.send(after: 1)
            if !pushes.isEmpty { return pushes }
            await Task.yield()
        }
        return []
    }

    @Test func `by a server that stops is still written down, so that nobody hears of it twice`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"))
        let gate = Gate()
        scene.transport.answer(at: gate)
        let running = Task { await scene.sender().run() }
        await gate.arrivals(1)
        running.cancel()
        await gate.open()
        await running.value
        #expect(try await scene.outcomes().compactMap(\.self).map(\.accepted) == [1, 1])
        #expect(scene.diagnostics.isEmpty)
        scene.transport.answer { _ in .accepted }
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `by a server that stops while it claims another activity is written down too`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("other", for: "order-2")
        try await scene.report(.placed("order-2"))
        await scene.send()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"))
        let blocker = try await scene.database.pool.openDedicated()
        try await blocker.script(
            "BEGIN; SELECT FROM delivery_state WHERE activity_id = 'order-2' FOR UPDATE")
        let gate = Gate()
        scene.transport.answer(at: gate)
        let running = Task { await scene.sender().run() }
        await gate.arrivals(1)
        scene.clock.advance(by: 1)
        try await scene.report(.assigned("Bob", "order-2"))
        try await scene.database.waitForLock()
        running.cancel()
        // The claim ends, and what it took is given back.
        try await Task.sleep(for: .milliseconds(200))
        await gate.open()
        await running.value
        #expect(try await scene.outcomes().compactMap(\.self).map(\.accepted) == [1, 1])
        #expect(scene.diagnostics.isEmpty)
        try await blocker.script("COMMIT")
        await blocker.close()
        let others = await scene.send(after: 600)
        #expect(Set(others.map(\.tokenHex)) == [Scene.tokenHex("other")])
    }

    @Test func `by a store that is away is reported, and told nobody twice`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        var store = scene.store
        store.deliveries = FailingDeliveries(
            base: store.deliveries,
            beforeSettle: { () throws(EventStoreError) in throw .unavailable(detail: "away") })
        await scene.sender(store).drain()
        #expect(scene.diagnostics == [.store(.unavailable(detail: "away"))])
        let timestamp = try #require(scene.transport.pushes.first?.timestamp)
        #expect(await scene.send(after: 1).isEmpty)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 1)
        #expect(outcome.timestamp == timestamp)
    }
}

struct `Two senders` {
    @Test func `share the work and never send the same activity at once`() async throws {
        let scene = try await Scene()
        let orders = (0..<12).map { "order-\($0)" }
        for order in orders { try await scene.register(order, for: order) }
        let traffic = Lock(Traffic())
        scene.transport.answer { push in
            traffic.withLock { $0.begin(push.tokenHex) }
            try? await Task.sleep(for: .milliseconds(2))
            traffic.withLock { $0.finish(push.tokenHex) }
            return .accepted
        }
        let senders = [
            scene.sender(scene.anotherNode().store), scene.sender(scene.anotherNode().store),
        ]
        try await scene.report(orders.map { .placed($0) })
        for fanOut in 0..<5 {
            try await scene.report(
                orders.map { .assigned("Driver \(fanOut)", $0, minute: 6 + fanOut) })
            scene.clock.advance(by: 1)
            await withTaskGroup(of: Void.self) { group in
                for sender in senders { group.addTask { await sender.drain() } }
            }
        }
        let pushes = scene.transport.pushes
        #expect(pushes.count == orders.count * 5)
        #expect(traffic.withLock { $0.collisions } == 0)
        for order in orders {
            let mine = pushes.filter { $0.tokenHex == Scene.tokenHex(order) }
            let timestamps = mine.compactMap(\.timestamp)
            #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 })
            #expect(mine.last?.text.contains("Driver 4") == true)
        }
    }

    private struct Traffic {
        var open: Set<String> = []
        var collisions = 0

        mutating func begin(_ token: String) {
            if !open.insert(token).inserted { collisions += 1 }
        }

        mutating func finish(_ token: String) { open.remove(token) }
    }
}
