import APNs
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
