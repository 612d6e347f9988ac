import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Foundation
import Pipeline
import TestSupport
import Testing

extension Scene {
    fileprivate func registerCard(_ name: String, as installation: String) async throws {
        let wish = CardWish(
            token: try #require(PushToken(hex: Self.tokenHex(name))), environment: .sandbox,
            bundleID: "com.example.pizza", installation: installation)
        _ = try await store.registrations.change(
            tenant, ActivityID(rawValue: Fact.order), .register(wish), CardMachineRules.handle)
    }

    /// An order that is shown on a phone with a start token, and on one without; an hour before its
    /// limit fresh cards are wanted.
    fileprivate static func followed() async throws -> Scene {
        let scene = try await Scene()
        _ = try await scene.store.policies.put(
            scene.tenant, "PizzaDelivery", nil,
            Data(#"{"thresholds":{"restartBeforeLimitSeconds":3600}}"#.utf8))
        try await scene.putToken("phone")
        try await scene.registerCard("old", as: "phone")
        try await scene.registerCard("other", as: "without")
        try await scene.report(.placed())
        await scene.send()
        scene.transport.forget()
        return scene
    }

    /// Lets the clock speak until it wants fresh cards.
    fileprivate func comeNearLimit() async throws {
        let clock = ClockRunner(store: store, now: { .timeOfDay }) {
            Issue.record("the clock failed: \($0)")
        }
        let order = ActivityID(rawValue: Fact.order)
        for _ in 0..<3 where try await ledger().last?.decision.rule != "restart" {
            let due = try #require(try await store.projections.snapshot(tenant, order)?.dueAt)
            #expect(try await clock.tick(at: due) == 1)
            await Projector(store: store) { Issue.record("folding failed: \($0)") }.drain()
        }
        #expect(try await ledger().last?.decision.order?.restarts == true)
    }

    /// A start went first and came to nothing, so that both cards are updated, in any order.
    fileprivate func expectOldCardStays(
        _ pushes: [RecordingTransport.Push], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let said = said(pushes)
        #expect(said.first == "start phone", sourceLocation: sourceLocation)
        #expect(
            said.dropFirst().sorted() == ["update old", "update other"],
            sourceLocation: sourceLocation)
    }

    /// Name of the push's token, and its event.
    fileprivate func said(_ pushes: [RecordingTransport.Push]) -> [String] {
        let names = ["phone", "old", "new", "other"]
        return pushes.map { push in
            let name = names.first { Self.tokenHex($0) == push.tokenHex } ?? "?"
            return "\(push.event ?? "?") \(name)"
        }
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card whose eight hours are over soon` {
    @Test func `gives way to a fresh one, which the next update reaches`() async throws {
        let scene = try await Scene.followed()
        try await scene.comeNearLimit()
        let pushes = await scene.send(after: 30)
        #expect(scene.said(pushes) == ["start phone", "end old", "update other"])
        #expect(Set(pushes.map(\.timestamp)).count == 1)
        for place in [0, 2] {
            #expect(pushes[place].text.contains(#""relevance-score":50"#), "\(pushes[place].text)")
        }
        let timestamp = try #require(pushes[0].timestamp)
        #expect(pushes[1].text.contains("\"dismissal-date\":\(timestamp)"))
        #expect(pushes[1].headers["apns-expiration"] == "\(timestamp + 28_800)")
        #expect(try await scene.living() == 1)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 2 && outcome.failed == 0)
        try await scene.registerCard("new", as: "phone")
        let fresh = await scene.send(after: 1)
        #expect(scene.said(fresh) == ["update new"])
        try await scene.report(.assigned("Ada"))
        let next = await scene.send(after: 1)
        #expect(Set(scene.said(next)) == ["update new", "update other"])
        #expect(next.count == 2)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `stays and is updated when APNs refuses the start`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer { $0.event == "start" ? .refused(410, .unregistered) : .accepted }
        try await scene.comeNearLimit()
        let pushes = await scene.send(after: 30)
        scene.expectOldCardStays(pushes)
        try await scene.report(.assigned("Ada"))
        let next = await scene.send(after: 1)
        #expect(Set(scene.said(next)) == ["update old", "update other"])
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `stays and is updated while its audience is looked through`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer { $0.event == "start" ? .refused(410, .unregistered) : .accepted }
        try await scene.putAudience()
        try await scene.comeNearLimit()
        let pushes = await scene.send(after: 30)
        scene.expectOldCardStays(pushes)
    }

    @Test func `stays when no answer comes, and nothing is started again`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer { $0.event == "start" ? .away : .accepted }
        try await scene.comeNearLimit()
        let pushes = await scene.send(after: 30)
        scene.expectOldCardStays(pushes)
        scene.transport.answer { _ in .accepted }
        #expect(await scene.send(after: 600).isEmpty)
        #expect(try await scene.living() == 2)
    }

    @Test func `ends once the fresh one, whose start had no answer, has been registered`()
        async throws
    {
        let scene = try await Scene.followed()
        scene.transport.answer { $0.event == "start" ? .away : .accepted }
        try await scene.comeNearLimit()
        await scene.send(after: 30)
        scene.transport.answer { _ in .accepted }
        try await scene.registerCard("new", as: "phone")
        #expect(scene.said(await scene.send(after: 1)) == ["end old", "update new"])
        try await scene.report(.assigned("Ada"))
        #expect(Set(scene.said(await scene.send(after: 1))) == ["update new", "update other"])
    }

    @Test func `stays until APNs takes the start that it refused for the moment`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer {
            $0.event == "start" ? .refused(503, .serviceUnavailable) : .accepted
        }
        try await scene.comeNearLimit()
        let pushes = await scene.send(after: 30)
        scene.expectOldCardStays(pushes)
        scene.transport.answer { _ in .accepted }
        let again = await scene.send(after: 10)
        #expect(scene.said(again) == ["start phone", "end old"])
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `is ended with the next fan-out when APNs did not take its end`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer {
            $0.event == "end" ? .refused(503, .serviceUnavailable) : .accepted
        }
        try await scene.comeNearLimit()
        let pushes = await scene.send(after: 30)
        #expect(scene.said(pushes) == ["start phone", "end old", "update other"])
        scene.transport.answer { _ in .accepted }
        try await scene.report(.assigned("Ada"))
        let next = await scene.send(after: 1)
        #expect(scene.said(next) == ["end old", "update other"])
        try await scene.report(.pickedUp())
        #expect(scene.said(await scene.send(after: 1)) == ["update other"])
    }

    @Test func `is ended again later and later although nothing is reported`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer { push in
            switch push.event {
            case "end": .refused(429, .tooManyRequests)
            default: .accepted
            }
        }
        try await scene.comeNearLimit()
        await scene.send(after: 30)
        #expect(await scene.send(after: 0.5).isEmpty)
        #expect(scene.said(await scene.send(after: 1)) == ["end old"])
        #expect(await scene.send(after: 1).isEmpty)
        scene.transport.answer { _ in .accepted }
        #expect(scene.said(await scene.send(after: 2)) == ["end old"])
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `that has died meanwhile is sent no end`() async throws {
        let scene = try await Scene.followed()
        scene.transport.answer { push in
            switch push.tokenHex {
            case Scene.tokenHex("phone"): .away
            case Scene.tokenHex("old"): .refused(410, .expiredToken)
            default: .accepted
            }
        }
        try await scene.comeNearLimit()
        scene.expectOldCardStays(await scene.send(after: 30))
        try await scene.registerCard("new", as: "phone")
        #expect(scene.said(await scene.send(after: 1)) == ["update new"])
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `is left alone while its policy wants no fresh ones`() async throws {
        let scene = try await Scene.followed()
        _ = try await scene.store.policies.put(scene.tenant, "PizzaDelivery", nil, Data("{}".utf8))
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 1)
        let order = ActivityID(rawValue: Fact.order)
        let snapshot = try #require(
            try await scene.store.projections.snapshot(scene.tenant, order))
        #expect(!String(decoding: snapshot.state, as: UTF8.self).contains("restart"))
    }
}
