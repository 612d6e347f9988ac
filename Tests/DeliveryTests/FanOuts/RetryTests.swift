import APNs
import Delivery
import Domain
import EventStore
import Foundation
import TestSupport
import Testing

/// A scene in which one phone follows an order that was just placed and shown.
private func following(_ phones: String...) async throws -> Scene {
    let scene = try await Scene()
    for phone in phones { try await scene.register(phone) }
    try await scene.report(.placed())
    await scene.send()
    scene.clock.advance(by: 1)
    scene.transport.forget()
    return scene
}

struct `A push that APNs does not accept` {
    @Test func `is followed by one with the newest state and a later timestamp`() async throws {
        let scene = try await following("phone")
        scene.transport.answer { _ in .refused(503, .serviceUnavailable) }
        try await scene.report(.assigned("Ada"))
        let first = try #require(await scene.send().first)
        #expect(first.text.contains("Ada"))
        #expect(try await scene.outcomes().last??.failed == 1)
        scene.transport.answer { _ in .accepted }
        try await scene.report(.pickedUp())
        let second = try #require(await scene.send(after: 1).first)
        #expect(second.text.contains(#""stage":"onTheWay""#))
        #expect(try #require(second.timestamp) > first.timestamp ?? .max)
        #expect(try await scene.outcomes().last??.accepted == 1)
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test(arguments: [
        (429, Reason.Known.tooManyRequests), (500, .internalServerError),
        (503, .serviceUnavailable),
    ])
    func `because APNs takes none is reported, with the number of phones`(
        status: Int, reason: Reason.Known
    ) async throws {
        let scene = try await following("a", "b")
        scene.transport.answer { _ in .refused(status, reason) }
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send().count == 2)
        #expect(scene.diagnostics == [.notTaken(count: 2, reason: reason.rawValue)])
    }

    @Test func `is retried without a new change, with its recent alert`() async throws {
        let scene = try await following("phone", "other")
        let unlucky = Scene.tokenHex("phone")
        scene.transport.answer {
            $0.tokenHex == unlucky ? .refused(500, .internalServerError) : .accepted
        }
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send().count == 2)
        let outcome = try #require(try await scene.outcomes().last ?? nil)
        #expect(outcome.accepted == 1)
        #expect(outcome.failed == 1)
        scene.transport.answer { _ in .accepted }
        let retries = await scene.send(after: 1)
        #expect(retries.map(\.tokenHex) == [unlucky])
        #expect(retries.first?.alertBody == "Ada will bring your 2 pizzas.")
        #expect(retries.first?.priority == "10")
        #expect(await scene.send(after: 600).isEmpty)
    }

    @Test func `keeps its alert when a quiet change overtakes the retry`() async throws {
        let scene = try await following("phone", "other")
        let unlucky = Scene.tokenHex("phone")
        scene.transport.answer {
            $0.tokenHex == unlucky ? .refused(503, .serviceUnavailable) : .accepted
        }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        scene.transport.answer { _ in .accepted }
        try await scene.report(.estimated(4))
        // A quiet change waits for its window.
        let pushes = await scene.send(after: 6)
        #expect(pushes.count == 2)
        for push in pushes {
            let missedIt = push.tokenHex == unlucky
            #expect(push.alertBody == (missedIt ? "Ada will bring your 2 pizzas." : nil))
            #expect(push.priority == (missedIt ? "10" : "5"))
        }
    }

    @Test func `keeps its alert through further failures, but not for ever`() async throws {
        let scene = try await following("phone")
        scene.transport.answer { _ in .away }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        for minutes in [2, 3, 4] {
            try await scene.report(.estimated(minutes))
            // A quiet change waits for its window.
            #expect(
                await scene.send(after: 6).map(\.alertBody) == ["Ada will bring your 2 pizzas."])
        }
        try await scene.report(.estimated(5))
        #expect(await scene.send(after: 1200).map(\.alertBody) == [nil])
    }

    @Test func `says nothing of what happened before the phone registered`() async throws {
        let scene = try await following("phone")
        try await scene.report(.assigned("Ada"))
        await scene.send()
        try await scene.register("late")
        scene.transport.answer { _ in .away }
        await scene.send(after: 1)
        #expect(await scene.send(after: 1).map(\.alertBody) == [nil])
    }

    @Test func `is tried again ever more slowly, at least every five minutes`() async throws {
        let scene = try await following("phone")
        scene.transport.answer { _ in .away }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        var delays: [Double] = []
        for _ in 0..<11 {
            let due = try #require(try await scene.store.deliveries.nextDue())
            delays.append(due.seconds(since: scene.clock.now))
            #expect(await scene.send(after: delays.last ?? 0).count == 1)
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(
            scene.diagnostics
                == Array(repeating: .unanswered(count: 1, reason: "no answer"), count: 12)
        )
        let timestamps = scene.transport.pushes.compactMap(\.timestamp)
        #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `because the token died is the last to that phone`() async throws {
        let scene = try await following("phone", "other")
        let dead = Scene.tokenHex("phone")
        let since = Moment.timeOfDay.adding(seconds: 60).microseconds / 1000
        scene.transport.answer {
            $0.tokenHex == dead ? .refused(410, .unregistered, since: since) : .accepted
        }
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send().count == 2)
        #expect(try await scene.living() == 1)
        try await scene.report(.pickedUp())
        #expect(await scene.send(after: 600).map(\.tokenHex) == [Scene.tokenHex("other")])
    }

    @Test func `because the token was dead before it was registered again is retried`() async throws
    {
        let scene = try await following("phone")
        let since = Moment.timeOfDay.adding(seconds: -3600).microseconds / 1000
        scene.transport.answer { _ in .refused(410, .expiredToken, since: since) }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        #expect(try await scene.living() == 1)
        scene.transport.answer { _ in .accepted }
        #expect(await scene.send(after: 1).count == 1)
    }

    @Test func `because the token is dead is not retried for ever, whenever it was registered`()
        async throws
    {
        let scene = try await following("phone")
        let since = Moment.timeOfDay.adding(seconds: -3600).microseconds / 1000
        scene.transport.answer { _ in .refused(410, .expiredToken, since: since) }
        try await scene.report(.assigned("Ada"))
        var pushes = 0
        for _ in 0..<20 { pushes += await scene.send(after: 300).count }
        #expect(pushes == 8)
        #expect(try await scene.living() == 0)
    }

    @Test func `because the token died without a time given is the last`() async throws {
        let scene = try await following("phone")
        scene.transport.answer { _ in .refused(410, .unregistered) }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        #expect(try await scene.living() == 0)
    }

    @Test(arguments: [Reason.Known.invalidProviderToken, .topicDisallowed, .forbidden])
    func `because the key is refused is reported, and tried again in a minute`(
        reason: Reason.Known
    ) async throws {
        let scene = try await following("a", "b")
        scene.transport.answer { _ in .refused(403, reason) }
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send().count == 2)
        #expect(scene.diagnostics == [.credentialsRefused(reason: reason.rawValue)])
        #expect(try await scene.living() == 2)
        #expect(await scene.send(after: 59).isEmpty)
        scene.transport.answer { _ in .accepted }
        #expect(await scene.send(after: 1).count == 2)
    }

    @Test func `because it is malformed is not repeated, and later changes are sent`() async throws
    {
        let scene = try await following("phone")
        scene.transport.answer { _ in .refused(413, .payloadTooLarge) }
        try await scene.report(.assigned("Ada"))
        await scene.send()
        #expect(await scene.send(after: 600).isEmpty)
        #expect(try await scene.living() == 1)
        scene.transport.answer { _ in .accepted }
        try await scene.report(.pickedUp())
        #expect(await scene.send(after: 1).count == 1)
    }
}
