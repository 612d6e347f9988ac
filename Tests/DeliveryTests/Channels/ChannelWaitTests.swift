import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import TestSupport
import Testing

private let app = ChannelApp(bundleID: "com.example.pizza", environment: .sandbox)
private let order = ActivityID(rawValue: Fact.order)

extension Scene {
    fileprivate func row() async throws -> Channel? {
        try await store.channels.find(tenant, order, app.bundleID).first
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
        #expect(scene.notices == [.store(.unavailable(detail: "away"))])
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
