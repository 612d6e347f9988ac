import APNs
import DeliveryRules
import Domain
import EventStore
import Explaining
import TestSupport
import Testing

extension Scene {
    /// What `why` says of a version.
    fileprivate func why(_ version: Int64) async throws -> String {
        let answer = try await Explainer.explain(
            version, of: StoredActivity(store, tenant, ActivityID(rawValue: Fact.order)))
        guard case .explained(let explanation) = answer else { return "\(answer)" }
        return explanation.sentences.joined(separator: " ")
    }

    /// A scene in which phones follow an order, and APNs refuses what is sent to one of them.
    fileprivate static func refusing(_ unlucky: String, among phones: String...) async throws
        -> Scene
    {
        let scene = try await Scene()
        for phone in phones { try await scene.register(phone) }
        try await scene.report(.placed())
        await scene.send()
        let token = tokenHex(unlucky)
        scene.transport.answer {
            $0.tokenHex == token ? .refused(503, .serviceUnavailable) : .accepted
        }
        return scene
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `An explanation of an alert that APNs refused at first` {
    @Test func `has the words that the phone got, by which a later change replaced them`()
        async throws
    {
        let scene = try await Scene.refusing("phone", among: "phone")
        try await scene.report(.late(40, minute: 10))
        await scene.send(after: 1)
        try await scene.report(.late(20, minute: 11))
        await scene.send(after: 1)
        scene.transport.answer { _ in .accepted }
        let body = try #require(await scene.send(after: 60).last?.alertBody)
        #expect(body == "Order 1042 comes about 20 minutes later than promised.")
        for version in [2, 3] as [Int64] {
            let why = try await scene.why(version)
            #expect(why.contains("APNs accepted it for 0 of 1 phone, and not for 1"), "\(why)")
            #expect(why.contains("brought it to that one, with the alert “"), "\(why)")
            #expect(why.contains("– “\(body)”. ") || why.hasSuffix("– “\(body)”."), "\(why)")
        }
    }

    @Test func `says that it never rang, if a later change took it back`() async throws {
        let scene = try await Scene.refusing("phone", among: "phone")
        try await scene.report(.late(40, minute: 10))
        await scene.send(after: 1)
        try await scene.report(.late(0, minute: 11))
        await scene.send(after: 1)
        scene.transport.answer { _ in .accepted }
        let push = try #require(await scene.send(after: 60).last)
        #expect(push.alertBody == nil)
        let why = try await scene.why(2)
        #expect(
            why.contains("to that one, without an alert, as nothing was left to say."), "\(why)")
    }

    @Test func `tells apart whom the first push reached and whom the next one did`() async throws {
        let scene = try await Scene.refusing("phone", among: "phone", "other")
        try await scene.report(.late(40, minute: 10))
        let first = await scene.send(after: 1)
        #expect(Set(first.map(\.alertBody)).count == 1)
        scene.transport.answer { _ in .accepted }
        try await scene.report(.late(20, minute: 11))
        let second = await scene.send(after: 1)
        let body = try #require(second.compactMap(\.alertBody).first)
        #expect(second.count == 2 && second.compactMap(\.alertBody).count == 1)
        let alert = try await scene.why(2)
        #expect(alert.contains("APNs accepted it for 1 of 2 phones, and not for 1"), "\(alert)")
        #expect(alert.contains("– “\(body)”"), "\(alert)")
        let silent = try await scene.why(3)
        #expect(
            silent.contains("To 1 phone that had missed an earlier push it went with the alert"),
            "\(silent)")
        #expect(silent.contains("– “\(body)”"), "\(silent)")
    }

    @Test func `claims no words for a phone that has registered again`() async throws {
        let scene = try await Scene.refusing("phone", among: "phone")
        try await scene.report(.late(40, minute: 10))
        await scene.send(after: 1)
        try await scene.register("phone")
        scene.transport.answer { _ in .accepted }
        let push = try #require(await scene.send(after: 60).last)
        #expect(push.alertBody == nil)
        let why = try await scene.why(2)
        #expect(why.contains("that one, with an alert or without, which is not known"), "\(why)")
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `An explanation of whom a push did not go to` {
    private func dismiss(_ phone: String, in scene: Scene) async throws {
        let token = try #require(PushToken(hex: Scene.tokenHex(phone)))
        _ = try await scene.store.registrations.change(
            scene.tenant, ActivityID(rawValue: Fact.order), .report(.token(token), .dismissed),
            CardMachine.handle)
    }

    @Test func `counts a phone that the push lost once`() async throws {
        let scene = try await Scene()
        for phone in ["good", "bad"] { try await scene.register(phone) }
        try await scene.report(.placed())
        let bad = Scene.tokenHex("bad")
        scene.transport.answer {
            $0.tokenHex == bad ? .refused(410, .unregistered) : .accepted
        }
        await scene.send(after: 60)
        let first = try await scene.why(1)
        #expect(first.contains("APNs accepted it for 1 of 2 phones, and not for 1"), "\(first)")
        #expect(!first.contains("Nothing went to others"), "\(first)")
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 60)
        let second = try await scene.why(2)
        #expect(second.contains("APNs accepted it for 1 of 1 phone, by"), "\(second)")
        #expect(second.contains("others: 1 push token no longer worked"), "\(second)")
    }

    @Test func `counts a card that is swiped away once it has the push as one that got it`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        await scene.send(after: 60)
        try await dismiss("phone", in: scene)
        let why = try await scene.why(1)
        #expect(why.contains("APNs accepted it for 1 of 1 phone, by"), "\(why)")
        #expect(!why.contains("Nothing went to others"), "\(why)")
    }

    @Test func `names a card that was swiped away before a later change took the push along`()
        async throws
    {
        let scene = try await Scene()
        for phone in ["one", "two"] { try await scene.register(phone) }
        try await scene.report(.placed())
        try await dismiss("one", in: scene)
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 60)
        let why = try await scene.why(1)
        #expect(why.contains("The push of version 2 carried it"), "\(why)")
        #expect(why.contains("Nothing went to others: 1 card had been swiped away"), "\(why)")
    }

    @Test func `names a card that was swiped away before there was anybody to send to`()
        async throws
    {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        try await dismiss("phone", in: scene)
        await scene.send(after: 60)
        let why = try await scene.why(1)
        #expect(why.contains("no phone was registered"), "\(why)")
        #expect(why.contains("Nothing went to others: 1 card had been swiped away"), "\(why)")
    }
}
