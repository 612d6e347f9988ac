import APNs
import DeliveryRules
import Domain
import EventStore
import Testing

extension Scene {
    /// As the API asks it for a phone.
    @discardableResult
    fileprivate func ask(_ request: CardRequest) async throws -> CardChange.Answer {
        try await store.registrations.change(
            tenant, ActivityID(rawValue: Fact.order), request, CardMachine.handle
        ).change.answer
    }

    fileprivate func token(_ name: String) throws -> PushToken {
        try #require(PushToken(hex: Self.tokenHex(name)))
    }

    fileprivate func register(_ name: String, as installation: String) async throws {
        try await ask(
            .register(
                CardWish(
                    token: try token(name), environment: .sandbox, bundleID: "com.example.pizza",
                    installation: installation)))
    }

    /// Two phones that have been shown the order.
    fileprivate static func following() async throws -> Scene {
        let scene = try await Scene()
        try await scene.register("old", as: "one")
        try await scene.register("other", as: "two")
        try await scene.report(.placed())
        await scene.send()
        scene.clock.advance(by: 1)
        scene.transport.forget()
        return scene
    }
}

struct `A card in the sender's eyes` {
    @Test func `gets the newest state under its new token at once, and nothing under the old`()
        async throws
    {
        let scene = try await Scene.following()
        #expect(
            try await scene.ask(.rotate(from: scene.token("old"), to: scene.token("new")))
                == .rotated)
        let first = await scene.send(after: 1)
        #expect(first.map(\.tokenHex) == [Scene.tokenHex("new")])
        #expect(first.first?.alertBody == nil)
        try await scene.report(.assigned("Ada"))
        let second = await scene.send(after: 1)
        #expect(Set(second.map(\.tokenHex)) == [Scene.tokenHex("new"), Scene.tokenHex("other")])
        #expect(second.count == 2)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `gets under its new token what the old one missed`() async throws {
        let scene = try await Scene.following()
        let unlucky = Scene.tokenHex("old")
        scene.transport.answer {
            $0.tokenHex == unlucky ? .refused(503, .serviceUnavailable) : .accepted
        }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        try await scene.ask(.rotate(from: scene.token("old"), to: scene.token("new")))
        let pushes = await scene.send(after: 1)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("new")])
        #expect(pushes.first?.alertBody == "Ada will bring your 2 pizzas.")
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `comes back to life by a new token when the old one has died`() async throws {
        let scene = try await Scene.following()
        let unlucky = Scene.tokenHex("old")
        scene.transport.answer {
            $0.tokenHex == unlucky ? .refused(410, .unregistered) : .accepted
        }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        #expect(try await scene.living() == 1)
        try await scene.register("new", as: "one")
        #expect(try await scene.living() == 2)
        let pushes = await scene.send(after: 1)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("new")])
    }

    @Test func `gets what it missed under its newer token, whose place the older one took late`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("new", as: "one")
        try await scene.report(.placed())
        await scene.send()
        try await scene.register("old", as: "one")
        #expect(await scene.send(after: 2).map(\.tokenHex) == [Scene.tokenHex("old")])
        let late = Scene.tokenHex("old")
        scene.transport.answer {
            $0.tokenHex == late ? .refused(410, .unregistered) : .accepted
        }
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 2).map(\.tokenHex) == [late])
        #expect(
            try await scene.ask(.rotate(from: scene.token("old"), to: scene.token("new")))
                == .rotated)
        let pushes = await scene.send(after: 2)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("new")])
        #expect(pushes.first?.alertBody == "Ada will bring your 2 pizzas.")
        #expect(try await scene.living() == 1)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test(arguments: [CardReport.dismissed, .ended])
    func `is sent nothing once its app reports that it is over`(report: CardReport) async throws {
        let scene = try await Scene.following()
        try await scene.ask(.report(.installation("one"), report))
        try await scene.report(.assigned("Ada"))
        let pushes = await scene.send(after: 1)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("other")])
        try await scene.register("old", as: "one")
        try await scene.report(.pickedUp())
        #expect(await scene.send(after: 1).map(\.tokenHex) == [Scene.tokenHex("other")])
    }

    @Test func `that is stale is still sent what happens`() async throws {
        let scene = try await Scene.following()
        try await scene.ask(.report(.installation("one"), .stale))
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 1).count == 2)
    }

    @Test func `that was closed while its push was under way stays closed`() async throws {
        let scene = try await Scene.following()
        try await scene.report(.assigned("Ada"))
        let claim = try #require(
            try await scene.store.deliveries.claimNext(10, .all, scene.clock.now.adding(seconds: 1))
                .first)
        let page = try await scene.store.deliveries.page(claim, false, scene.clock.now, 0, 10)
        try await scene.ask(.report(.installation("one"), .dismissed))
        try await scene.store.deliveries.record(
            claim,
            page.map {
                PhoneResult(
                    registrationID: $0.id, tokenVersion: $0.tokenVersion,
                    effect: .retry(at: scene.clock.now, reason: "503"))
            })
        await scene.store.deliveries.release(claim)
        // The first finishes the fan-out that was cut short, the second is the retry.
        let pushes = await scene.send(after: 5) + scene.send(after: 5)
        #expect(pushes.map(\.tokenHex) == [Scene.tokenHex("other")])
    }
}
