import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Testing

/// A scene in which two phones follow an order that was just placed; APNs does not know the token
/// of one.
private func refusing(_ reason: Reason.Known = .badDeviceToken) async throws -> Scene {
    let scene = try await Scene()
    for phone in ["good", "bad"] { try await scene.register(phone) }
    try await scene.report(.placed())
    let bad = Scene.tokenHex("bad")
    scene.transport.answer { $0.tokenHex == bad ? .refused(400, reason) : .accepted }
    #expect(await scene.send().count == 2)
    return scene
}

extension Scene {
    fileprivate var letters: [DeadLetter] {
        get async throws {
            try await store.deadLetters.list(tenant, DeadLetterFilter(), nil, 9)
        }
    }

    fileprivate var tally: CardTally {
        get async throws {
            try await store.registrations.tally(tenant, ActivityID(rawValue: Fact.order), nil)
        }
    }

    fileprivate func count(_ name: String) -> Int {
        transport.pushes.count { $0.tokenHex == Self.tokenHex(name) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `A token that APNs does not know` {
    @Test(arguments: [Reason.Known.badDeviceToken, .deviceTokenNotForTopic])
    func `is pushed to once, whatever is decided later`(reason: Reason.Known) async throws {
        let scene = try await refusing(reason)
        #expect(scene.diagnostics == [.tokensUnfit(count: 1, reason: reason.rawValue)])
        let facts: [Fact] = [
            .assigned("Ada"), .pickedUp(), .estimated(9), .estimated(5), .arriving(), .delivered(),
        ]
        for fact in facts {
            try await scene.report(fact)
            await scene.send(after: 60)
        }
        #expect(scene.count("bad") == 1)
        #expect(scene.count("good") >= facts.count)
        #expect(try await scene.living() == 1)
        #expect(try await scene.tally == CardTally(unfit: 1))
        let letters = try await scene.letters
        #expect(letters.map(\.reason) == [reason.rawValue])
        #expect(letters.map(\.attempts) == [1])
    }

    @Test func `gets the newest state when its phone registers again`() async throws {
        let scene = try await refusing()
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 2)
        scene.transport.answer { _ in .accepted }
        try await scene.register("bad")
        #expect(try await scene.letters.isEmpty)
        #expect(try await scene.tally == CardTally())
        let push = try #require(await scene.send(after: 2).first)
        #expect(push.tokenHex == Scene.tokenHex("bad"))
        #expect(push.text.contains("Ada"))
        try await scene.report(.pickedUp())
        #expect(await scene.send(after: 2).count == 2)
    }

    @Test func `is pushed to once more for each time that it is registered`() async throws {
        let scene = try await refusing()
        for _ in 0..<3 {
            try await scene.register("bad")
            #expect(await scene.send(after: 2).count == 1)
            #expect(await scene.send(after: 600).isEmpty)
        }
        #expect(scene.count("bad") == 4)
        #expect(try await scene.living() == 1)
    }

    @Test func `makes room for the one that the phone has next`() async throws {
        let scene = try await refusing()
        let change = try await scene.store.registrations.change(
            scene.tenant, ActivityID(rawValue: Fact.order),
            .rotate(
                from: try #require(PushToken(hex: Scene.tokenHex("bad"))),
                to: try #require(PushToken(hex: Scene.tokenHex("next")))), CardMachine.handle)
        #expect(change.change.answer == .rotated)
        #expect(try await scene.letters.isEmpty)
        #expect(await scene.send(after: 2).map(\.tokenHex) == [Scene.tokenHex("next")])
        #expect(try await scene.living() == 2)
    }

    @Test func `is tried again when an operator says so, and dismissed for good`() async throws {
        let scene = try await refusing()
        let letter = try #require(try await scene.letters.first)
        #expect(try await scene.store.deadLetters.retry(scene.tenant, letter.id))
        #expect(try await scene.letters.isEmpty)
        #expect(await scene.send(after: 2).map(\.tokenHex) == [Scene.tokenHex("bad")])
        // It is still wrong.
        let again = try #require(try await scene.letters.first)
        #expect(again.id == letter.id)
        #expect(try await scene.store.deadLetters.dismiss(scene.tenant, letter.id))
        #expect(try await scene.letters.isEmpty)
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send(after: 2).map(\.tokenHex) == [Scene.tokenHex("good")])
        scene.transport.answer { _ in .accepted }
        try await scene.register("bad")
        #expect(await scene.send(after: 2).map(\.tokenHex) == [Scene.tokenHex("bad")])
    }

    @Test func `that starts cards starts none until the app puts it again`() async throws {
        let scene = try await Scene()
        try await scene.putAudience()
        try await scene.putToken("phone")
        scene.transport.answer { _ in .refused(400, .badDeviceToken) }
        try await scene.report(.placed())
        #expect(await scene.send().count == 1)
        try await scene.putAudience("order-2")
        try await scene.report(.placed("order-2"))
        #expect(await scene.send(after: 60).isEmpty)
        scene.transport.answer { _ in .accepted }
        try await scene.putToken("phone")
        #expect(await scene.send(after: 60).count == 1)
    }
}
