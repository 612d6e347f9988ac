import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

struct `A fan-out` {
    /// Around the size of one page and of two.
    @Test(arguments: [1, 499, 500, 501, 1000, 1001])
    func `reaches every phone exactly once and counts them exactly`(phones: Int) async throws {
        let scene = try await Scene()
        try await scene.registerMany(phones)
        try await scene.report(.placed())
        let pushes = await scene.send()
        #expect(pushes.count == phones)
        #expect(Set(pushes.map(\.tokenHex)).count == phones)
        #expect(Set(pushes.map(\.text)).count == 1)
        #expect(Set(pushes.compactMap { $0.headers["apns-id"] }).count == phones)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == phones)
        #expect(outcome.failed == 0)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test(.timeLimit(.minutes(1)))
    func `has more pages under way where answers take long`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(9_000)
        try await scene.report(.placed())
        let underWay = Lock((now: 0, most: 0))
        scene.transport.answer { [clock = scene.clock] _ in
            underWay.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            try? await Task.sleep(for: .milliseconds(300))
            // By as much as it takes until a page of 500 is answered.
            clock.advance(by: 0.3 / 500)
            underWay.withLock { $0.now -= 1 }
            return .accepted
        }
        #expect(await scene.send().count == 9_000)
        let most = underWay.withLock(\.most)
        #expect(most > 1_500)
        #expect(most <= 4_000)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 9_000)
    }

    @Test func `keeps the answers about phones of several apps apart`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(600)
        _ = try await scene.database.pool.query(
            "UPDATE registration SET environment = 'production' WHERE id % 3 = 0")
        try await scene.report(.placed())
        scene.transport.answer { push in
            push.environment == .production ? .refused(410, .unregistered) : .accepted
        }
        #expect(await scene.send().count == 600)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 400)
        #expect(outcome.failed == 200)
        let dead = try await scene.database.pool.query(
            "SELECT count(*) FROM registration WHERE dead_at IS NOT NULL AND id % 3 = 0")
        let count: Int64? = try dead.first?.get(0)
        #expect(count == 200)
    }

    @Test func `counts refusals apart and repeats only what is worth it`() async throws {
        let scene = try await Scene()
        let phones = 1000
        try await scene.registerMany(phones)
        try await scene.report(.placed())
        scene.transport.answer { push in
            let number = Int(push.tokenHex.suffix(8), radix: 16) ?? 0
            return switch number % 10 {
            case 0: .refused(503, .serviceUnavailable)
            case 1: .refused(410, .unregistered)
            case 2: .refused(400, .badDeviceToken)
            default: .accepted
            }
        }
        #expect(await scene.send().count == phones)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 700)
        #expect(outcome.failed == 300)
        #expect(try await scene.living() == 800)
        scene.transport.answer { _ in .accepted }
        let retries = await scene.send(after: 1)
        #expect(retries.count == 100)
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 1).count == 800)
    }

    @Test func `goes on after the first page when its second could not be recorded`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(700)
        try await scene.report(.placed())
        var store = scene.store
        store.deliveries = FailingDeliveries(
            base: store.deliveries,
            beforeRecord: { (results) throws(EventStoreError) in
                guard results.count == 500 else { throw .unavailable(detail: "away") }
            })
        await scene.sender(store).drain()
        #expect(scene.transport.pushes.count == 700)
        #expect(try await scene.outcomes().compactMap(\.self).isEmpty)
        let again = await scene.send(after: 1)
        // The second page was sent, but nobody knows.
        #expect(again.count == 200)
        let phones = again.compactMap { Int($0.tokenHex.suffix(8), radix: 16) }
        #expect(Set(phones) == Set(501...700))
        #expect(try await scene.outcomes().last??.accepted == 700)
    }

    @Test func `to nobody completes the decision without a push`() async throws {
        let scene = try await Scene()
        try await scene.report(.placed())
        #expect(await scene.send().isEmpty)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.timestamp == nil)
        #expect(outcome.accepted == 0)
        #expect(outcome.failed == 0)
    }
}
