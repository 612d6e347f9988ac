import Domain
import EventLoop
import EventStore
import Foundation
import TestSupport
import Testing

@testable import Delivery

private let app = AppInEnvironment(bundleID: "com.example.pizza", environment: .sandbox)
private let order = ActivityID(rawValue: Fact.order)

extension Scene {
    fileprivate func row() async throws -> Channel? {
        try await store.channels.find(tenant, order, app.bundleID).first
    }

    /// A sender that has no key for the app.
    fileprivate func keylessSender(_ store: EventStore) -> Sender {
        let carrier = transport.transport
        return Sender(
            store: store,
            transport: PushTransport(
                pushAll: carrier.pushAll, suspension: { _ in AppSuspension.noApp.rawValue }),
            broadcasts: channels.transport, now: { [clock] in clock.now },
            makePushID: { UUID().uuidString.lowercased() }, report: { _ in })
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A channel that is wanted for an app without a key` {
    @Test func `is not asked for, and waits until there is one`() async throws {
        let scene = try await Scene()
        _ = try await scene.store.channels.want(scene.tenant, order, app, .none)
        let written = Lock<[Channel.State]>([])
        var store = scene.store
        store.channels = FailingChannels(
            base: store.channels,
            beforeChange: { (wish) throws(EventStoreError) in
                written.withLock { $0.append(wish.state) }
            })
        #expect(await scene.keylessSender(store).keepChannels() == 1)
        #expect(scene.channels.managed.isEmpty)
        #expect(written.withLock { $0 } == [.wanted])
        let row = try #require(try await scene.row())
        #expect(row.lastFailure == "no-app")
        #expect(row.attempts == 1)
        scene.clock.advance(by: 590)
        #expect(await scene.sender().keepChannels() == 0)
        try await scene.store.apps.release(TenantApp(tenant: scene.tenant, app: app))
        #expect(await scene.sender().keepChannels() == 1)
        #expect(try await scene.row()?.state == .open)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `Followers that cannot be counted` {
    @Test func `keep no push waiting, and are counted later`() async throws {
        let scene = try await Scene()
        _ = try await scene.store.policies.put(
            scene.tenant, "PizzaDelivery", nil,
            Data(#"{"thresholds":{"broadcastFromFollowersCount":1}}"#.utf8))
        try await scene.register("phone")
        try await scene.report(.placed())
        let (isAway, counts) = (Lock(true), Lock(0))
        var store = scene.store
        store.channels = FailingChannels(
            base: store.channels,
            beforeCount: { () throws(EventStoreError) in
                counts.withLock { $0 += 1 }
                guard !isAway.withLock({ $0 }) else { throw .unavailable(detail: "away") }
            })
        let sender = scene.sender(store)
        await sender.drain()
        #expect(scene.transport.pushes.count == 1)
        #expect(scene.diagnostics == [.store(.unavailable(detail: "away"))])
        // The next fan-outs do not ask again.
        try await scene.report(.assigned("Ada"))
        scene.clock.advance(by: 6)
        await sender.drain()
        #expect(scene.transport.pushes.count == 2)
        #expect(counts.withLock { $0 } == 1)
        #expect(try await scene.row() == nil)
        isAway.withLock { $0 = false }
        await sender.keepChannels()
        #expect(try await scene.row()?.state == .open)
    }

    @Test func `delay no fan-out while that is made up for, however long it takes`() async {
        let counts = FollowerCounts()
        let key = FollowerCounts.Key(tenant: TenantID(rawValue: 1), activity: order)
        let failed = Moment(unixSeconds: 1_800_000_000)
        await counts.fail(key, needed: 1, at: failed)
        #expect(await counts.nextMissed(at: failed.adding(seconds: 6))?.key == key)
        let later = failed.adding(seconds: 14)
        #expect(await !counts.isTimeToCount(key, needed: 1, at: later))
        await counts.clearFailure(key)
        // Who came meanwhile may not have been among those that were counted.
        #expect(await counts.nextMissed(at: later)?.key == key)
        #expect(await counts.isTimeToCount(key, needed: 1, at: later.adding(seconds: 6)))
    }

    @Test func `end the fan-out of a sender that is to stop`() async throws {
        let scene = try await Scene()
        _ = try await scene.store.policies.put(
            scene.tenant, "PizzaDelivery", nil,
            Data(#"{"thresholds":{"broadcastFromFollowersCount":1}}"#.utf8))
        try await scene.register("phone")
        try await scene.report(.placed())
        var store = scene.store
        store.channels = FailingChannels(
            base: store.channels,
            beforeCount: { () throws(EventStoreError) in
                _ = withUnsafeCurrentTask { $0?.cancel() }
                throw .unavailable(detail: "cancelled")
            })
        await scene.sender(store).drain()
        #expect(scene.transport.pushes.isEmpty)
    }
}
