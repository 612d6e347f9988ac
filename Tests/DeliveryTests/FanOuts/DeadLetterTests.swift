import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Foundation
import TestSupport
import Testing

extension Scene {
    fileprivate func letters(
        _ filter: DeadLetterFilter = DeadLetterFilter(), after: DeadLetterPlace? = nil,
        limit: Int = 100
    ) async throws -> [DeadLetter] {
        try await store.deadLetters.list(tenant, filter, after, limit)
    }

    /// Sends under other rules.
    fileprivate func send(after seconds: Double = 0, _ rules: GiveUpRules) async -> Int {
        clock.advance(by: seconds)
        let before = transport.pushes.count
        await Sender(
            store: store, transport: transport.transport, rules: rules,
            now: { [clock] in clock.now }, makePushID: { UUID().uuidString.lowercased() },
            report: { _ in }
        ).drain()
        return transport.pushes.count - before
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `What is given up` {
    @Test func `is a refused push, until the phone gets something else`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .refused(400, .badExpirationDate) }
        #expect(await scene.send().count == 1)
        let letter = try #require(try await scene.letters().first)
        #expect(letter.id.carrier == .push)
        #expect(letter.activityID.rawValue == Fact.order)
        #expect(letter.to == "com.example.pizza sandbox")
        #expect(letter.reason == "BadExpirationDate")
        #expect(letter.attempts == 1)
        #expect(try await scene.store.deadLetters.counts(scene.tenant)[.push] == 1)
        scene.transport.answer { _ in .accepted }
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 2)
        #expect(try await scene.letters().isEmpty)
    }

    @Test func `is a push that failed too often, and can be sent again`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .refused(503, .serviceUnavailable) }
        var rules = GiveUpRules()
        rules.pushes.attemptsMax = 3
        var pushes = 0
        for _ in 0..<6 { pushes += await scene.send(after: 30, rules) }
        #expect(pushes == 3)
        let letter = try #require(try await scene.letters().first)
        #expect(letter.reason == "ServiceUnavailable")
        #expect(letter.attempts == 3)
        scene.transport.answer { _ in .accepted }
        #expect(try await scene.store.deadLetters.retry(scene.tenant, letter.id))
        #expect(try await scene.letters().isEmpty)
        #expect(await scene.send(after: 2, rules) == 1)
        #expect(await scene.send(after: 600, rules) == 0)
        let isThere = try await scene.store.deadLetters.retry(scene.tenant, letter.id)
        #expect(!isThere)
    }

    @Test func `is a push of a state that nobody needs any more`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .away }
        var rules = GiveUpRules()
        rules.pushes.ageSecondsMax = 3_600
        #expect(await scene.send(rules) == 1)
        #expect(try await scene.letters().isEmpty)
        #expect(await scene.send(after: 3_700, rules) == 1)
        #expect(try await scene.letters().map(\.reason) == ["no answer"])
        // A phone that comes later has its own time.
        try await scene.register("b")
        #expect(await scene.send(after: 10, rules) == 1)
    }

    @Test func `is no phone that waits for its app`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .deferred(reason: AppSuspension.noKey.rawValue, seconds: 300)
        }
        var rules = GiveUpRules()
        rules.pushes.attemptsMax = 1
        rules.pushes.ageSecondsMax = 60
        for _ in 0..<3 { _ = await scene.send(after: 301, rules) }
        #expect(try await scene.letters().isEmpty)
    }

    @Test func `is no phone whose first push fails after it waited for its app`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .deferred(reason: AppSuspension.noKey.rawValue, seconds: 300)
        }
        var rules = GiveUpRules()
        rules.pushes.attemptsMax = 3
        for _ in 0..<3 { #expect(await scene.send(after: 301, rules) == 1) }
        try await scene.store.apps.release(
            TenantApp(
                tenant: scene.tenant, bundleID: "com.example.pizza", environment: .sandbox))
        scene.transport.answer { _ in .refused(503, .serviceUnavailable) }
        #expect(await scene.send(after: 1, rules) == 1)
        #expect(try await scene.letters().isEmpty)
        let due = try #require(try await scene.store.deliveries.nextDue())
        #expect(due.seconds(since: scene.clock.now) <= 2)
        scene.transport.answer { _ in .accepted }
        #expect(await scene.send(after: 2, rules) == 1)
        #expect(await scene.send(after: 600, rules) == 0)
    }

    @Test func `is listed newest first, in pages, and by what is asked for`() async throws {
        let scene = try await Scene()
        for name in ["a", "b", "c", "d", "e"] { try await scene.register(name) }
        try await scene.register("f", for: "order-2")
        try await scene.report(.placed(), .placed("order-2"))
        scene.transport.answer { _ in .refused(400, .badExpirationDate) }
        await scene.send()
        let all = try await scene.letters()
        #expect(all.count == 6)
        #expect(all.map(\.givenUpAt) == all.map(\.givenUpAt).sorted(by: >))
        var paged: [DeadLetter] = []
        while true {
            let place = paged.last.map { DeadLetterPlace(givenUpAt: $0.givenUpAt, id: $0.id) }
            let page = try await scene.letters(after: place, limit: 2)
            if page.isEmpty { break }
            paged += page
        }
        #expect(paged == all)
        var other = DeadLetterFilter()
        other.activity = ActivityID(rawValue: "order-2")
        #expect(try await scene.letters(other).count == 1)
        var ofWebhooks = DeadLetterFilter()
        ofWebhooks.carrier = .webhook
        #expect(try await scene.letters(ofWebhooks).isEmpty)
        var late = DeadLetterFilter()
        late.since = all[0].givenUpAt
        #expect(try await scene.letters(late).count >= 1)
        late.since = all[0].givenUpAt.adding(seconds: 1)
        #expect(try await scene.letters(late).isEmpty)
    }

    @Test func `is dismissed once`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .refused(400, .badExpirationDate) }
        await scene.send()
        let letter = try #require(try await scene.letters().first)
        #expect(try await scene.store.deadLetters.dismiss(scene.tenant, letter.id))
        #expect(try await scene.letters().isEmpty)
        let isThere = try await scene.store.deadLetters.dismiss(scene.tenant, letter.id)
        #expect(!isThere)
    }

    @Test func `is a start of which nobody knows, which can only be dismissed`() async throws {
        let scene = try await Scene()
        let activity = ActivityID(rawValue: Fact.order)
        try await scene.putAudience()
        try await scene.putToken("phone")
        scene.transport.answer { _ in .away }
        try await scene.report(.placed())
        #expect(await scene.send().count == 1)
        let letter = try #require(try await scene.letters().first)
        #expect(letter.id.carrier == .start)
        #expect(letter.id.activity == activity)
        #expect(letter.reason.hasPrefix("unknown: "))
        #expect(DeadLetter.ID(text: letter.id.text) == letter.id)
        #expect(try await scene.store.deadLetters.dismiss(scene.tenant, letter.id))
        #expect(try await scene.letters().isEmpty)
        #expect(await scene.send(after: 1_000).isEmpty)
    }

    @Test func `of a tenant is nobody else's`() async throws {
        let scene = try await Scene()
        try await scene.register("a")
        try await scene.report(.placed())
        scene.transport.answer { _ in .refused(400, .badExpirationDate) }
        await scene.send()
        let letter = try #require(try await scene.letters().first)
        let other = try await scene.store.tenants.ensure("other").id
        #expect(try await scene.store.deadLetters.list(other, DeadLetterFilter(), nil, 9).isEmpty)
        let isRetried = try await scene.store.deadLetters.retry(other, letter.id)
        let isDismissed = try await scene.store.deadLetters.dismiss(other, letter.id)
        #expect(!isRetried && !isDismissed)
    }
}

@Test(arguments: ["order-42", "-", "--", "\u{301}a", "\u{FE0F}", "\u{200D}-\u{301}"])
func `a start's id is read as it is written, whatever its activity's id begins with`(
    activity: String
) {
    let id = DeadLetter.ID(
        carrier: .start, number: 17, restartVersion: 3,
        activity: ActivityID(rawValue: activity))
    #expect(DeadLetter.ID(text: id.text) == id)
}

@Test(arguments: [
    "", "push", "push-", "push-x", "push-1-2", "start-1", "start-1-2", "start-1-2-", "mail-1",
    "webhook--", "webhook-1-",
])
func `what is no dead letter's id is none`(text: String) {
    #expect(DeadLetter.ID(text: text) == nil)
}
