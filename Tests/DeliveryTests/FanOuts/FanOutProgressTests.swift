import APNs
import Delivery
import Domain
import EventStore
import Foundation
import Postgres
import StoreTestSupport
import TestSupport
import Testing

struct `A phone that registers again while its push is under way` {
    /// A scene in which the answer to a phone's push comes after it has registered again.
    private static func interrupted(_ answer: PushResult) async throws -> Scene {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        scene.transport.answer { _ in
            do { try await scene.register("phone", environment: .production) } catch {
                Issue.record(error)
            }
            return answer
        }
        #expect(await scene.send().count == 1)
        scene.transport.answer { _ in .accepted }
        return scene
    }

    @Test func `stays owed what it asked for, although the push was accepted`() async throws {
        let scene = try await Self.interrupted(.accepted)
        let pushes = await scene.send(after: 1)
        #expect(pushes.map(\.environment) == [.production])
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `is not made to wait by a push that failed`() async throws {
        let scene = try await Self.interrupted(.away)
        #expect(await scene.send(after: 1).map(\.environment) == [.production])
    }

    /// Without a time given, and with one that the phone's clock of an hour ahead would allow.
    @Test(arguments: [nil, Moment.timeOfDay.adding(seconds: 3_600).microseconds / 1_000])
    func `stays alive, although its token was dead before`(since: Int64?) async throws {
        let scene = try await Self.interrupted(.refused(410, .unregistered, since: since))
        #expect(try await scene.living() == 1)
        #expect(await scene.send(after: 1).map(\.environment) == [.production])
    }
}

struct `A 410` {
    @Test(arguments: [Int64.max, Int64.min, -1])
    func `with an impossible time does no harm`(since: Int64) async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        scene.transport.answer { _ in .refused(410, .unregistered, since: since) }
        await scene.send()
        #expect(try await scene.living() == (since > 0 ? 0 : 1))
    }

    /// To the millisecond, as APNs counts.
    @Test(arguments: [(-1, 1), (0, 0), (1, 0)] as [(Int64, Int)])
    func `is compared with the registration's own time`(
        millisecondsAfter: Int64, living: Int
    ) async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        let registered: Int64 = 1_790_000_000_123
        _ = try await scene.database.pool.query(
            "UPDATE registration SET registered_at = to_timestamp($1 / 1000.0)",
            [.int8(registered)])
        try await scene.report(.placed())
        scene.transport.answer { _ in
            .refused(410, .unregistered, since: registered + millisecondsAfter)
        }
        await scene.send()
        #expect(try await scene.living() == living)
    }
}

struct `A fan-out that goes on where another stopped` {
    @Test func `adds up the counts of both`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(700)
        try await scene.report(.placed())
        scene.transport.answer { push in
            let number = Int(push.tokenHex.suffix(8), radix: 16) ?? 0
            return number % 10 == 0 ? .refused(400, .badDeviceToken) : .accepted
        }
        await stopAfterFirstPage(scene)
        // Those refused are not paged again either.
        #expect(await scene.send(after: 1).count == 200)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 630)
        #expect(outcome.failed == 70)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `leaves out words that a phone has heard when more have come meanwhile`()
        async throws
    {
        let scene = try await Scene()
        try await scene.registerMany(700)
        try await scene.report(.placed())
        await scene.send()
        try await scene.report(.assigned("Ada"))
        scene.clock.advance(by: 1)
        await stopAfterFirstPage(scene)
        try await scene.report(.late(20, minute: 10))
        // The fan-out goes on first, and what has come meanwhile goes with it.
        let rest = await scene.send(after: 1)
        let bodies = Dictionary(grouping: rest, by: \.alertBody).mapValues(\.count)
        let late = "Order 1042 comes about 20 minutes later than promised."
        #expect(bodies == ["\(late) · Ada will bring your 2 pizzas.": 200])
        let others = await scene.send(after: 1)
        #expect(others.count == 500)
        #expect(Set(others.map(\.alertBody)) == [late])
        #expect(try await scene.outcomes().compactMap(\.self).map(\.accepted) == [700, 700, 700])
    }

    @Test func `pages a phone that registered meanwhile`() async throws {
        let scene = try await Scene()
        try await scene.registerMany(600)
        try await scene.report(.placed())
        await stopAfterFirstPage(scene)
        try await scene.register("late")
        let pushes = await scene.send(after: 1)
        #expect(pushes.count == 101)
        #expect(pushes.contains { $0.tokenHex == Scene.tokenHex("late") })
    }

    /// The node dies before it records its second page.
    private func stopAfterFirstPage(_ scene: Scene) async {
        var store = scene.store
        store.deliveries = FailingDeliveries(
            base: store.deliveries,
            beforeRecord: { (results) throws(EventStoreError) in
                guard results.count == 500 else { throw .unavailable(detail: "away") }
            })
        await scene.sender(store).drain()
    }
}

struct `A state that grew too large` {
    private static func tooLarge(_ scene: Scene) async throws {
        try await scene.database.alter(
            "UPDATE snapshot SET content_state = json_build_object('s', repeat('x', 4000))")
    }

    @Test func `is not sent with an older decision; that one's own state is, and it is reported`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        let state = try await scene.contentState()
        try await Self.tooLarge(scene)
        let push = try #require(await scene.send().first)
        #expect(push.text.contains(state))
        #expect(scene.diagnostics == [.stateTooLarge(bytes: 4_010, phones: 1)])
        #expect(try await scene.outcomes().last??.accepted == 1)
    }

    @Test func `leaves a phone with nothing rather than asking for it every second`() async throws {
        let scene = try await Scene()
        try await scene.report(.placed())
        try await scene.database.alter(
            "UPDATE decision SET verdict = 'hold', rule = 'too-large', alert = NULL")
        try await Self.tooLarge(scene)
        try await scene.register("phone")
        #expect(await scene.send().isEmpty)
        #expect(scene.diagnostics == [.stateTooLarge(bytes: 4_010, phones: 1)])
        #expect(try await scene.store.deliveries.nextDue() == nil)
        #expect(try await scene.living() == 1)
    }
}
