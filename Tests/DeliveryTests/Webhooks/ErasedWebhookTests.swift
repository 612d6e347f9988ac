import DeliveryRules
import Domain
import EventStore
import Foundation
import Pipeline
import TestSupport
import Testing

/// What waits for a webhook is made when it is sent, of what is there then.
@Suite(.timeLimit(.minutes(2)))
struct `A message about a person whose data were erased` {
    private static let name = "Zwackelmann"

    /// A message with the name that did not arrive and is not tried again.
    private func givenUp() async throws -> (shop: Shop, message: RecordingReceiver.Message) {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .status(400) }
        try await shop.scene.report(.placed(), .assigned(Self.name))
        var rules = WebhookRules()
        rules.attemptsMax = 1
        return (shop, try #require(await shop.send(rules: rules).last))
    }

    private func erase(_ shop: Shop, values: Int = 1) async throws {
        let outcome = try await shop.scene.store.erasure.erase(
            shop.scene.tenant, ActivityID(rawValue: Fact.order), Erasing.rewrite
        ).get()
        #expect(outcome.valueCount == values)
    }

    /// Rows of all tables, as text.
    private func rowsWithName(_ shop: Shop) async throws -> Int {
        let rows = try await shop.scene.database.contents(of: shop.scene.tenant)
        return rows.count { $0.contains(Self.name) }
    }

    @Test func `that did not arrive before says nothing of them when it is sent again`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .status(500) }
        try await shop.scene.report(.placed(), .assigned(Self.name))
        let first = await shop.send()
        #expect(first.map(\.driver) == [Self.name])
        #expect(try await rowsWithName(shop) > 0)
        try await erase(shop)
        #expect(try await rowsWithName(shop) == 0)
        let second = await shop.send(after: 5)
        #expect(!second.isEmpty)
        shop.receiver.answer { _ in .status(200) }
        let third = await shop.send(after: 400)
        #expect(third.last?.driver == "erased-1")
        // Nobody knows whether the receiver has heard the words.
        #expect(third.last?.alerts.isEmpty == false)
        #expect(third.last?.id == second.last?.id && third.last?.id != first.last?.id)
        #expect((second + third).allSatisfy { !$0.text.contains(Self.name) })
    }

    @Test func `that was given up says nothing of them when it is tried once more`() async throws {
        let (shop, _) = try await givenUp()
        let letters = shop.scene.store.deadLetters
        let letter = try #require(
            try await letters.list(shop.scene.tenant, DeadLetterFilter(), nil, 10).first)
        #expect(letter.id.carrier == .webhook)
        #expect(try await rowsWithName(shop) > 0)
        try await erase(shop)
        #expect(try await rowsWithName(shop) == 0)
        let left = try await letters.list(shop.scene.tenant, DeadLetterFilter(), nil, 10)
        #expect(!"\(left)".contains(Self.name))
        // By itself the receiver hears of the erasure, and then of what was given up.
        shop.receiver.answer { _ in .status(200) }
        #expect(try await letters.retry(shop.scene.tenant, letter.id))
        let sent = await shop.send(after: 600)
        #expect(!sent.isEmpty)
        #expect(sent.allSatisfy { !$0.text.contains(Self.name) })
    }

    /// A receiver drops a message with an id that it has had, and would keep the name.
    @Test func `that has arrived comes once more under another id, and alerts nobody`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned(Self.name))
        let before = try #require(await shop.send().first)
        #expect(before.type == "activity.alert" && before.driver == Self.name)
        try await erase(shop)
        let after = await shop.send()
        #expect(after.map(\.type) == ["activity.updated"])
        #expect(after.map(\.driver) == ["erased-1"])
        #expect(after.first?.alerts == [])
        #expect(after.first?.version == before.version)
        #expect(after.first?.id != before.id)
        #expect(await shop.send(after: 600).isEmpty)
    }

    /// The receiver has had the state since, and must not take the words for the same message.
    @Test func `that was given up comes with its words under an id of its own`() async throws {
        let (shop, lost) = try await givenUp()
        shop.receiver.answer { _ in .status(200) }
        try await erase(shop)
        let known = try #require(await shop.send(after: 60).last)
        #expect(known.type == "activity.updated" && known.alerts == [])
        let letters = shop.scene.store.deadLetters
        let letter = try #require(
            try await letters.list(shop.scene.tenant, DeadLetterFilter(), nil, 10).first)
        #expect(try await letters.retry(shop.scene.tenant, letter.id))
        let retried = try #require(await shop.send().last)
        #expect(retried.type == "activity.alert" && !retried.alerts.isEmpty)
        #expect(Set([lost.id, known.id, retried.id]).count == 3)
        #expect(!retried.text.contains(Self.name))
    }

    @Test func `comes in a phase that the webhook leaves out, if it is of its kinds`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add("wh_live", phases: [.live])
        try await shop.add("wh_match", kinds: ["Match"], phases: [.live])
        try await shop.scene.report(.placed(), .assigned(Self.name))
        let before = try #require(await shop.send().last)
        #expect(before.driver == Self.name)
        try await shop.scene.report(.delivered())
        #expect(await shop.send().isEmpty)
        try await erase(shop)
        shop.receiver.answer { _ in .status(500) }
        let failed = await shop.send()
        #expect(failed.map(\.url) == ["https://shop.example/wh_live"])
        #expect(failed.map(\.type) == ["activity.ended"])
        #expect(failed.first?.alerts == [])
        #expect(failed.allSatisfy { !$0.text.contains(Self.name) })
        shop.receiver.answer { _ in .status(200) }
        let again = await shop.send(after: 6)
        #expect(again.map(\.id) == failed.map(\.id))
        #expect(again.map(\.body) == failed.map(\.body))
        #expect(await shop.send(after: 100_000).isEmpty)
    }

    @Test func `comes although an event that is worth none followed the erasure`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned(Self.name))
        #expect(await shop.send().map(\.version) == [2])
        try await erase(shop)
        try await shop.scene.report(.assigned("erased-1", minute: 6))
        let after = await shop.send()
        #expect(after.map(\.driver) == ["erased-1"])
        #expect(after.map(\.version) == [2])
        #expect(after.first?.alerts == [])
        #expect(await shop.send(after: 600).isEmpty)
    }

    @Test func `comes although what followed is pages away`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned(Self.name))
        #expect(await shop.send().map(\.version) == [2])
        try await erase(shop)
        try await shop.scene.report((0..<70).map { Fact.placed("other-\($0)") })
        try await shop.scene.report(.assigned("erased-1", minute: 6))
        let after = await shop.send().filter { $0.activity == Fact.order }
        #expect(after.map(\.driver) == ["erased-1"])
        #expect(after.map(\.version) == [2])
        #expect(try await shop.webhook().1.behind == 0)
    }

    @Test func `comes although the webhook has not seen the phase in which it was erased`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add("wh_live", phases: [.live])
        try await shop.scene.report(.placed(), .assigned(Self.name))
        #expect(await shop.send().map(\.driver) == [Self.name])
        try await shop.scene.report(.delivered())
        try await erase(shop)
        try await shop.scene.report(.located(300))
        let after = await shop.send()
        #expect(after.count == 1)
        #expect(after.allSatisfy { $0.alerts.isEmpty && !$0.text.contains(Self.name) })
        #expect(await shop.send(after: 600).isEmpty)
    }

    @Test func `that is repeated and does not arrive is the same when it is sent again`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned(Self.name))
        await shop.send()
        try await erase(shop)
        shop.receiver.answer { _ in .status(500) }
        let first = await shop.send()
        #expect(first.map(\.type) == ["activity.updated"])
        let second = await shop.send(after: 6)
        #expect(second.map(\.id) == first.map(\.id))
        #expect(second.map(\.body) == first.map(\.body))
        // What comes meanwhile says its own words, and no others.
        try await shop.scene.report(.assigned("Bob", minute: 6))
        shop.receiver.answer { _ in .status(200) }
        let third = await shop.send(after: 6)
        #expect(third.map(\.type) == ["activity.alert"])
        #expect(third.first?.driver == "Bob")
        #expect(third.first?.alerts == ["New driver"])
        #expect(await shop.send(after: 100_000).isEmpty)
    }

    @Test func `comes although the last event was worth none`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned(Self.name))
        await shop.send()
        try await shop.scene.report(.assigned(Self.name, minute: 6))
        #expect(await shop.send().isEmpty)
        try await erase(shop, values: 2)
        let after = await shop.send()
        #expect(after.map(\.type) == ["activity.updated"])
        #expect(after.map(\.driver) == ["erased-1"])
        #expect(after.first?.version == 2)
    }

    @Test func `that ends an activity says so again`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned(Self.name), .delivered())
        #expect(await shop.send().map(\.type) == ["activity.ended"])
        try await erase(shop)
        let after = await shop.send()
        #expect(after.map(\.type) == ["activity.ended"])
        #expect(after.first?.alerts == [])
    }
}
