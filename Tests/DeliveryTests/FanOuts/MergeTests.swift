import Domain
import EventStore
import Foundation
import Testing

struct `What is sent` {
    @Test func `within one second is one push with the newest state and all alerts`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        #expect(await scene.send().count == 1)
        try await scene.report(.assigned("Ada"))
        try await scene.report(.located(900))
        #expect(await scene.send(after: 0).isEmpty)
        try await scene.report(.late(20, minute: 10))
        let pushes = await scene.send(after: 1)
        #expect(pushes.count == 1)
        #expect(
            pushes.first?.alertBody
                == "Order 1042 comes about 20 minutes later than promised. · "
                + "Ada will bring your 2 pizzas.")
        #expect(pushes.first?.text.contains(try await scene.contentState()) == true)
        let outcomes = try await scene.outcomes().compactMap(\.self)
        #expect(outcomes.map(\.carriedBy) == [1, 4, 4])
        #expect(Set(outcomes.dropFirst().map(\.timestamp)) == [pushes.first?.timestamp])
    }

    @Test func `has a delay once more when the push before took it back unsaid, and only then`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        await scene.send()
        try await scene.report(.late(20, minute: 10), .late(0, minute: 11))
        let together = await scene.send(after: 1)
        #expect(together.count == 1 && together.first?.alertBody == nil)
        try await scene.report(.late(20, minute: 12))
        let back = await scene.send(after: 1)
        #expect(back.count == 1)
        #expect(
            back.first?.alertBody == "Order 1042 comes about 20 minutes later than promised.")
        try await scene.report(.late(0, minute: 13))
        #expect(await scene.send(after: 1).first?.alertBody == nil)
        try await scene.report(.late(20, minute: 14))
        let again = await scene.send(after: 1)
        #expect(again.count == 1 && again.first?.alertBody == nil)
    }

    @Test func `never follows the end`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"), .delivered())
        let end = await scene.send()
        #expect(end.map(\.event) == ["end"])
        try await scene.report(.located(700), .assigned("Bo", minute: 48), .estimated(9))
        #expect(await scene.send(after: 600).isEmpty)
        let rules = try await scene.ledger().map(\.decision.rule)
        #expect(rules.suffix(3) == ["afterEnd", "afterEnd", "afterEnd"])
    }

    @Test func `to a phone that comes late is the newest state, quietly`() async throws {
        let scene = try await Scene()
        try await scene.register("first")
        try await scene.report(.placed(), .assigned("Ada"))
        await scene.send()
        try await scene.register("late")
        let pushes = await scene.send(after: 1)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("late")])
        #expect(pushes.first?.alertBody == nil)
        #expect(pushes.first?.priority == "5")
        #expect(pushes.first?.text.contains(try await scene.contentState()) == true)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `to a phone that comes while a change waits is its state, and nobody else's push`()
        async throws
    {
        let scene = try await Scene()
        for name in ["a", "b"] { try await scene.register(name) }
        try await scene.report(.placed(), .assigned("Ada"))
        await scene.send()
        try await scene.report(.estimated(4))
        let due = try #require(try await scene.ledger().last?.decision.order?.sendAfter)
        try await scene.register("late")
        let early = await scene.send(after: 1)
        #expect(early.map(\.tokenHex) == [Scene.tokenHex("late")])
        #expect(early.first?.text.contains(try await scene.contentState()) == true)
        let outcome = try await scene.outcomes().last ?? nil
        #expect(outcome == nil)
        #expect(await scene.send(after: 1).isEmpty)
        let all = await scene.send(after: due.seconds(since: scene.clock.now) + 1)
        #expect(Set(all.map(\.tokenHex)) == Set(["a", "b", "late"].map(Scene.tokenHex)))
        #expect(all.count == 3)
        #expect(try await scene.outcomes().last??.accepted == 3)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `to a phone that comes after the end is the end, quietly`() async throws {
        let scene = try await Scene()
        try await scene.report(.placed(), .assigned("Ada"), .delivered())
        #expect(await scene.send().isEmpty)
        #expect(try await scene.outcomes().last??.timestamp == nil)
        try await scene.register("late")
        let push = try #require(await scene.send(after: 1).first)
        #expect(push.event == "end")
        #expect(push.alertBody == nil)
        #expect(push.text.contains("dismissal-date"))
    }

    @Test func `to a phone that registers again is the newest state once more`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"))
        let first = try #require(await scene.send().first)
        try await scene.register("phone", environment: .production)
        let second = try #require(await scene.send(after: 1).first)
        #expect(second.environment == .production)
        #expect(try #require(second.timestamp) > first.timestamp ?? .max)
    }

    @Test func `reaches only the phones of the activity that changed`() async throws {
        let scene = try await Scene()
        try await scene.register("ann", for: "order-1")
        try await scene.register("bob", for: "order-2")
        try await scene.report(.placed("order-1"), .placed("order-2"))
        #expect(await scene.send().count == 2)
        try await scene.report(.assigned("Ada", "order-2"))
        #expect(await scene.send(after: 1).map(\.tokenHex) == [Scene.tokenHex("bob")])
    }

    @Test func `is nothing for a change that the phone would not show`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed(), .assigned("Ada"))
        await scene.send()
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 600).isEmpty)
        #expect(try await scene.ledger().last?.decision.verdict == .hold)
    }
}
