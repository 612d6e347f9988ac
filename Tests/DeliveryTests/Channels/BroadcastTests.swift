import APNs
import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

private let app = AppInEnvironment(bundleID: "com.example.pizza", environment: .sandbox)

extension Scene {
    private var order: ActivityID { ActivityID(rawValue: Fact.order) }

    fileprivate func channelRows() async throws -> [Channel] {
        try await store.channels.find(tenant, order, app.bundleID)
    }

    fileprivate func want(_ storage: Channel.Storage = .none) async throws {
        _ = try await store.channels.want(tenant, order, app, storage)
    }

    @discardableResult
    fileprivate func keep(after seconds: Double = 0) async -> Int {
        clock.advance(by: seconds)
        return await sender().keepChannels()
    }

    /// Lets the clock go on and sends what is due then.
    /// - Returns: the broadcasts that this brought.
    @discardableResult
    fileprivate func broadcast(after seconds: Double = 1) async -> [RecordingChannels.Broadcast] {
        let before = channels.broadcasts.count
        await send(after: seconds)
        return Array(channels.broadcasts.dropFirst(before))
    }

    /// An order with an open channel, and one phone that keeps its token.
    fileprivate static func listenedTo() async throws -> Scene {
        let scene = try await Scene()
        try await scene.want()
        try await scene.register("phone")
        try await scene.report(.placed())
        await scene.keep()
        return scene
    }

    fileprivate func put(_ policy: String) async throws {
        _ = try await store.policies.put(tenant, "PizzaDelivery", nil, Data(policy.utf8))
    }

    /// Two followers are enough for a channel, and the second comes a second after the count.
    /// - Returns: the sender that counted.
    fileprivate func countedTooSoon(_ store: EventStore? = nil) async throws -> Sender {
        try await put(#"{"thresholds":{"broadcastFromFollowersCount":2}}"#)
        try await register("first")
        try await report(.placed())
        let sender = sender(store)
        await sender.drain()
        try await register("second")
        clock.advance(by: 1)
        await sender.drain()
        #expect(try await channelRows().isEmpty)
        return sender
    }
}

struct `A broadcast` {
    @Test func `goes out once to phones that listen, beside each phone's push, with its timestamp`()
        async throws
    {
        let scene = try await Scene.listenedTo()
        let pushed = await scene.send()
        let broadcast = try #require(scene.channels.broadcasts.last)
        #expect(scene.channels.broadcasts.count == 1)
        #expect(pushed.count == 1)
        #expect(broadcast.request.body == pushed[0].request.body)
        #expect(broadcast.request.path == "/4/broadcasts/apps/com.example.pizza")
        #expect(broadcast.channelID == "channel-1==")
        #expect(broadcast.headers["apns-expiration"] == "0")
        #expect(broadcast.headers["apns-priority"] == pushed[0].priority)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.channels == ChannelTally(accepted: 1, failed: 0))
        #expect(outcome.accepted == 1)
        #expect(outcome.timestamp == broadcast.timestamp)
        #expect(await scene.broadcast(after: 600).isEmpty)
    }

    @Test func `is carried out although no phone is registered`() async throws {
        let scene = try await Scene()
        try await scene.want(.newest)
        await scene.keep()
        try await scene.report(.placed())
        let broadcast = try #require(await scene.broadcast().first)
        let expiration = Int64(broadcast.headers["apns-expiration"] ?? "") ?? 0
        #expect(expiration - (broadcast.timestamp ?? 0) == 28_800)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.timestamp == broadcast.timestamp)
        #expect(outcome.accepted == 0)
    }

    @Test func `that failed is made up for, with the newest state, and phones are left alone`()
        async throws
    {
        let scene = try await Scene.listenedTo()
        scene.channels.answer { request in
            request.path.hasPrefix("/4") ? .refused(429, .tooManyRequests) : nil
        }
        let first = await scene.broadcast(after: 0)
        #expect(first.count == 1)
        #expect(scene.diagnostics == [.channel(.notTaken(app, reason: "TooManyRequests"))])
        #expect(
            try await scene.outcomes().last??.channels == ChannelTally(accepted: 0, failed: 1))
        let pushes = scene.transport.pushes.count
        scene.channels.answer { _ in nil }
        let again = await scene.broadcast(after: 2)
        #expect(again.count == 1)
        #expect(scene.transport.pushes.count == pushes)
        #expect((again.first?.timestamp ?? 0) > (first.first?.timestamp ?? 0))
        #expect(await scene.broadcast(after: 600).isEmpty)
    }

    @Test(arguments: [PushResult.away, .refused(503, .serviceUnavailable)])
    func `without an answer tells what it was about when it is repeated`(
        answer: PushResult
    ) async throws {
        let scene = try await Scene.listenedTo()
        await scene.broadcast(after: 0)
        scene.channels.answer { _ in answer }
        try await scene.report(.assigned("Ada"))
        await scene.broadcast()
        scene.channels.answer { _ in nil }
        let again = try #require(await scene.broadcast(after: 2).first)
        #expect(again.text.contains("Ada will bring your 2 pizzas."))
        #expect(await scene.broadcast(after: 600).isEmpty)
    }

    @Test func `is the last after an end`() async throws {
        let scene = try await Scene.listenedTo()
        await scene.broadcast(after: 0)
        try await scene.report(.delivered())
        let ends = await scene.broadcast()
        #expect(ends.map(\.isEnd) == [true])
        try await scene.report(.located(10))
        #expect(await scene.broadcast(after: 600).isEmpty)
    }

    @Test func `is not repeated by the node that takes a fan-out over`() async throws {
        let scene = try await Scene.listenedTo()
        var store = scene.store
        store.deliveries = FailingDeliveries(
            base: store.deliveries,
            beforeRecord: { (_) throws(EventStoreError) in
                throw .unavailable(detail: "the node died")
            })
        await scene.sender(store).drain()
        #expect(scene.channels.broadcasts.count == 1)
        scene.clock.advance(by: 1)
        await scene.sender(scene.anotherNode().store).drain()
        #expect(scene.channels.broadcasts.count == 1)
        #expect(
            try await scene.outcomes().last??.channels == ChannelTally(accepted: 1, failed: 0))
    }
}

struct `A channel that is wanted` {
    @Test func `is made once, however many nodes look after it`() async throws {
        let scene = try await Scene()
        try await scene.want()
        let other = scene.sender(scene.anotherNode().store)
        async let mine = scene.sender().keepChannels()
        async let theirs = other.keepChannels()
        let looked = await mine + theirs
        #expect(looked == 1)
        #expect(scene.channels.existing.count == 1)
        let row = try #require(try await scene.channelRows().first)
        #expect(row.state == .open)
        #expect(row.channelID == "channel-1==")
        #expect(await scene.keep(after: 10) == 0)
    }

    @Test func `is noted before APNs is asked, and not forgotten when the asker dies`()
        async throws
    {
        let scene = try await Scene()
        try await scene.want()
        scene.channels.answer { _ in
            let state = try? await scene.channelRows().first?.state
            #expect(state == .creating)
            return nil
        }
        var store = scene.store
        store.channels = FailingChannels(
            base: store.channels,
            beforeChange: { (wish) throws(EventStoreError) in
                guard wish.state == .creating else { throw .unavailable(detail: "the node died") }
            })
        await scene.sender(store).keepChannels()
        #expect(await scene.keep(after: 30) == 0)
        scene.channels.answer { _ in nil }
        await scene.keep(after: 31)
        #expect(try await scene.channelRows().first?.channelID == "channel-2==")
        #expect(scene.diagnostics.contains(.channel(.unaccounted(app))))
        // The sweep's to delete.
        #expect(scene.channels.existing == ["channel-1==", "channel-2=="])
    }

    @Test func `waits when the app has too many`() async throws {
        let scene = try await Scene()
        try await scene.want()
        scene.channels.answer { _ in .refused(400, .cannotCreateChannelConfig) }
        await scene.keep()
        #expect(scene.diagnostics.contains(.channel(.limitReached(app))))
        #expect(try await scene.channelRows().first?.state == .wanted)
        scene.channels.answer { _ in nil }
        #expect(await scene.keep(after: 500) == 0)
        await scene.keep(after: 101)
        #expect(try await scene.channelRows().first?.state == .open)
    }

    @Test(arguments: [(8_998, false), (8_999, true)])
    func `is reported when the app has nearly as many as Apple allows`(
        others: Int, isNear: Bool
    ) async throws {
        let scene = try await Scene()
        _ = try await scene.database.pool.query(
            """
            INSERT INTO channel (
                tenant, activity_id, bundle_id, environment, storage, state, channel_id, wanted_at,
                opened_at
            )
            SELECT $1, 'other-' || n, $2, 'sandbox', 'none', 'open', 'c' || n, now(), now()
            FROM generate_series(1, $3) n
            """,
            [.int4(scene.tenant.rawValue), .text(app.bundleID), .int4(Int32(others))])
        try await scene.want()
        await scene.keep()
        let isTold = scene.diagnostics.contains(.channel(.nearLimit(app, count: 9_000)))
        #expect(isTold == isNear)
    }

    @Test func `is not made for an activity that has ended`() async throws {
        let scene = try await Scene()
        try await scene.report(.placed(), .delivered())
        try await scene.want()
        await scene.keep()
        #expect(scene.channels.managed.isEmpty)
        #expect(try await scene.channelRows().first?.state == .withdrawn)
    }
}

struct `A channel` {
    @Test func `is made from so many followers on as the policy says`() async throws {
        let scene = try await Scene()
        try await scene.put(#"{"thresholds":{"broadcastFromFollowersCount":3}}"#)
        try await scene.registerMany(2)
        try await scene.report(.placed())
        await scene.send()
        #expect(try await scene.channelRows().isEmpty)
        try await scene.register("third")
        await scene.send(after: 1)
        #expect(try await scene.channelRows().map(\.state) == [.wanted])
        await scene.keep()
        try await scene.report(.assigned("Ada"))
        #expect(await scene.broadcast().count == 1)
        #expect(scene.channels.existing.count == 1)
    }

    @Test func `waits for the next count of followers, which is seconds later`() async throws {
        let scene = try await Scene()
        let sender = try await scene.countedTooSoon()
        try await scene.register("third")
        scene.clock.advance(by: 5)
        await sender.drain()
        #expect(try await scene.channelRows().map(\.state) == [.wanted])
    }

    @Test func `is made for followers who came after a count and were the last to come`()
        async throws
    {
        let scene = try await Scene()
        let sender = try await scene.countedTooSoon()
        await sender.keepChannels()
        #expect(try await scene.channelRows().isEmpty)
        scene.clock.advance(by: 5)
        await sender.keepChannels()
        #expect(try await scene.channelRows().map(\.state) == [.open])
    }

    @Test func `is made although the database was away when the count was made up for`()
        async throws
    {
        let scene = try await Scene()
        let isAway = Lock(false)
        var store = scene.store
        store.channels = FailingChannels(
            base: store.channels,
            beforeCount: { () throws(EventStoreError) in
                guard !isAway.withLock({ $0 }) else { throw .unavailable(detail: "away") }
            })
        let sender = try await scene.countedTooSoon(store)
        isAway.withLock { $0 = true }
        scene.clock.advance(by: 5)
        await sender.keepChannels()
        #expect(scene.diagnostics.contains(.store(.unavailable(detail: "away"))))
        isAway.withLock { $0 = false }
        scene.clock.advance(by: 5)
        await sender.keepChannels()
        #expect(try await scene.channelRows().map(\.state) == [.open])
    }

    @Test func `is made for no number of followers where the policy says none`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(1_200)
        try await scene.report(.placed())
        await scene.send()
        #expect(try await scene.channelRows().isEmpty)
    }

    @Test func `that APNs has lost is replaced, and nobody sends to the old one`() async throws {
        let scene = try await Scene.listenedTo()
        await scene.broadcast(after: 0)
        scene.channels.loseAll()
        try await scene.report(.assigned("Ada"))
        await scene.broadcast()
        #expect(scene.diagnostics.contains(.channel(.lost(app))))
        #expect(try await scene.channelRows().map(\.state) == [.wanted])
        await scene.keep()
        try await scene.report(.arriving())
        #expect(await scene.broadcast().map(\.channelID) == ["channel-2=="])
    }

    @Test func `is deleted an hour after the last card is gone`() async throws {
        let scene = try await Scene.listenedTo()
        await scene.broadcast(after: 0)
        try await scene.report(.delivered())
        await scene.broadcast()
        for _ in 0..<5 { await scene.keep(after: 600) }
        #expect(scene.channels.existing.count == 1)
        for _ in 0..<30 { await scene.keep(after: 610) }
        #expect(scene.channels.existing.isEmpty)
        #expect(try await scene.channelRows().map(\.state) == [.deleted])
        let asked = scene.channels.managed.count
        for _ in 0..<3 { await scene.keep(after: 610) }
        #expect(scene.channels.managed.count == asked)
    }
}
