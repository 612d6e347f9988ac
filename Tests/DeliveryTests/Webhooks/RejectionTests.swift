import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Postgres
import TestSupport
import Testing

/// Longer than webhooks wait for it, by far.
private let whenTold: Double = 300

extension Shop {
    /// Phones of an order register; APNs knows no token of theirs.
    fileprivate func reject(_ phones: String..., for activity: String = Fact.order) async throws {
        for phone in phones { try await scene.register(phone, for: activity) }
        let tokens = Set(phones.map(Scene.tokenHex))
        scene.transport.answer {
            tokens.contains($0.tokenHex) ? .refused(400, .badDeviceToken) : .accepted
        }
        #expect(await scene.send(after: 2).count { tokens.contains($0.tokenHex) } == phones.count)
    }

    /// Those that the messages brought, in their order.
    fileprivate func told(_ webhook: String = "wh_1") -> [String] {
        messages.filter { $0.url.hasSuffix(webhook) }.flatMap(\.rejected)
            .compactMap { $0["deadLetter"] }
    }

    fileprivate var letters: [String] {
        get async throws {
            try await scene.store.deadLetters.list(scene.tenant, DeadLetterFilter(), nil, 100)
                .map(\.id.text).reversed()
        }
    }

    /// As many phones of the order with rejected tokens as wished.
    fileprivate func rejectMany(_ count: Int, for activity: String = Fact.order) async throws {
        try await scene.registerMany(count, for: activity)
        _ = try await scene.database.pool.query(
            """
            UPDATE registration SET is_unfit = true, dead_at = clock_timestamp(),
                given_up_at = clock_timestamp(), last_failure = 'DeviceTokenNotForTopic'
            WHERE tenant = $1 AND activity_id = $2
            """, [.int4(scene.tenant.rawValue), .text(activity)])
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `A rejected push token` {
    @Test func `is sent once to each webhook, under its dead letter's name`() async throws {
        let shop = try await Shop()
        try await shop.add("wh_1")
        try await shop.add("wh_2")
        try await shop.scene.report(.placed())
        await shop.send()
        try await shop.reject("bad", "worse")
        // Others may be written down later than they happened.
        #expect(await shop.send(after: 20).isEmpty)
        let messages = await shop.send(after: whenTold)
        #expect(messages.map(\.type) == ["registration.rejected", "registration.rejected"])
        #expect(Set(messages.map(\.id)).count == 2)
        let letters = try await shop.letters
        #expect(letters.count == 2)
        for webhook in ["wh_1", "wh_2"] { #expect(Set(shop.told(webhook)) == Set(letters)) }
        let first = try #require(messages.first?.rejected.first)
        #expect(
            Set(first.keys) == [
                "activity", "bundleId", "environment", "reason", "rejectedAt", "deadLetter",
            ])
        #expect(first["activity"] == Fact.order)
        #expect(first["bundleId"] == "com.example.pizza")
        #expect(first["environment"] == "sandbox")
        #expect(first["reason"] == "BadDeviceToken")
        for name in ["bad", "worse"] {
            #expect(!messages.contains { $0.text.contains(Scene.tokenHex(name)) })
        }
        #expect(await shop.send(after: whenTold).isEmpty)
        let (webhook, figures) = try await shop.webhook()
        #expect(webhook.health == WebhookHealth())
        #expect(figures.delivered == 2)
    }

    @Test func `is no news to a webhook that is younger`() async throws {
        let shop = try await Shop()
        try await shop.scene.report(.placed())
        try await shop.reject("bad")
        try await shop.add()
        #expect(await shop.send(after: whenTold).isEmpty)
        try await shop.reject("worse")
        #expect(await shop.send(after: whenTold).count == 1)
        #expect(shop.told() == [try #require(try await shop.letters.last)])
    }

    @Test func `is only told to who asked for its activity`() async throws {
        let shop = try await Shop()
        try await shop.add("wh_match", kinds: ["Match"])
        try await shop.add("wh_ended", kinds: ["PizzaDelivery"], phases: [.ended])
        try await shop.add("wh_pizza", kinds: ["PizzaDelivery"])
        try await shop.scene.report(.placed())
        await shop.send()
        try await shop.reject("bad")
        #expect(
            await shop.send(after: whenTold).map(\.url) == ["https://shop.example/wh_pizza"])
        // If nothing is known of an activity yet, all of them get it.
        try await shop.rejectMany(1, for: "unheard-of")
        #expect(await shop.send(after: whenTold).count == 3)
        #expect(shop.told("wh_match") == [try #require(try await shop.letters.last)])
    }

    @Test func `is not sent any more when its phone has registered again`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        await shop.send()
        try await shop.reject("bad", "worse")
        try await shop.scene.register("bad")
        #expect(await shop.send(after: whenTold).count == 1)
        #expect(shop.told() == (try await shop.letters))
        #expect(shop.told().count == 1)
        // And again when the new one is rejected.
        try await shop.reject("bad")
        #expect(await shop.send(after: whenTold).count == 1)
        #expect(Set(shop.told()) == Set(try await shop.letters))
    }

    @Test func `is sent by the hundred`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        await shop.send()
        try await shop.rejectMany(250)
        #expect(await shop.send(after: whenTold).map(\.rejected.count) == [100, 100, 50])
        #expect(Set(shop.told()).count == 250)
        #expect(shop.messages.allSatisfy { $0.body.count < 25_000 })
        #expect(await shop.send(after: whenTold).isEmpty)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Word of rejected push tokens that did not arrive` {
    /// A shop of which a webhook refuses such words, and whose token `bad` was rejected.
    private func refusing() async throws -> Shop {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        await shop.send()
        shop.receiver.answer { $0.rejected.isEmpty ? .status(200) : .status(400) }
        try await shop.reject("bad")
        return shop
    }

    @Test func `is sent again under the same name, and keeps nothing else waiting`() async throws {
        let shop = try await refusing()
        let first = await shop.send(after: whenTold)
        #expect(first.count == 1)
        let (webhook, figures) = try await shop.webhook()
        #expect(figures.waiting == 1)
        #expect(figures.failed == 1)
        #expect(webhook.health.lastFailure == "status 400")
        #expect(await shop.send(after: 1).isEmpty)
        let again = await shop.send(after: 6)
        #expect(again.map(\.id) == first.map(\.id))
        #expect(again.map(\.body) == first.map(\.body))
        // What is rejected meanwhile waits behind it, and what else there is does not. As that
        // arrives, all that waits is tried at once.
        try await shop.reject("worse")
        try await shop.scene.report(.assigned("Ada"))
        #expect(await shop.send(after: 60).compactMap(\.driver) == ["Ada"])
        shop.receiver.answer { _ in .status(200) }
        let last = await shop.send(after: 3_000)
        #expect(last.map(\.rejected.count) == [1, 1])
        #expect(last.first?.id == first.first?.id)
        #expect(last.last?.id != first.first?.id)
        #expect(Set(shop.told()) == Set(try await shop.letters))
        #expect(try await shop.webhook().1.waiting == 0)
        #expect(await shop.send(after: 1_000).isEmpty)
    }

    @Test func `is sent as soon as the webhook answers again`() async throws {
        let shop = try await refusing()
        for seconds in [whenTold, 6] { #expect(await shop.send(after: seconds).count == 1) }
        // The next try is due in five minutes.
        shop.receiver.answer { _ in .status(200) }
        try await shop.scene.report(.assigned("Ada"))
        let told = await shop.send(after: 60)
        #expect(told.map(\.type) == ["activity.alert", "registration.rejected"])
    }

    @Test func `is given up some time, and the next is sent`() async throws {
        let shop = try await refusing()
        var rules = WebhookRules()
        rules.attemptsMax = 3
        for _ in 0..<6 { await shop.send(after: 2_000, rules: rules) }
        #expect(shop.told().count == 3)
        #expect(Set(shop.told()).count == 1)
        #expect(
            shop.diagnostics.contains(.givenUp(webhook: "wh_1", count: 1, reason: "status 400")))
        let figures = try await shop.webhook().1
        #expect(figures.waiting == 0)
        #expect(figures.failed == 3)
        shop.receiver.answer { _ in .status(200) }
        try await shop.reject("worse")
        #expect(await shop.send(after: whenTold, rules: rules).map(\.rejected.count) == [1])
        // Nothing is lost: both are to be dealt with.
        #expect(shop.told().suffix(1) == (try await shop.letters).suffix(1))
        #expect(try await shop.letters.count == 2)
    }

    @Test func `is not sent again once all the phones have registered again`() async throws {
        let shop = try await refusing()
        await shop.send(after: whenTold)
        try await shop.scene.register("bad")
        #expect(await shop.send(after: 600).isEmpty)
        #expect(try await shop.webhook().1.waiting == 0)
        shop.receiver.answer { _ in .status(200) }
        try await shop.reject("worse")
        #expect(await shop.send(after: whenTold).map(\.rejected.count) == [1])
    }

    @Test func `is sent when the webhook is turned on again`() async throws {
        let shop = try await refusing()
        shop.receiver.answer { _ in .status(410) }
        await shop.send(after: whenTold)
        #expect(try await shop.webhook().0.stop == .gone)
        #expect(await shop.send(after: 5_000).isEmpty)
        shop.receiver.answer { _ in .status(200) }
        _ = try await shop.scene.store.webhooks.edit(
            shop.scene.tenant, "wh_1", WebhookEdit(isEnabled: true))
        #expect(await shop.send().map(\.type) == ["registration.rejected"])
    }

    @Test func `is sent again, by the same name, when a node died with it`() async throws {
        let shop = try await refusing()
        shop.scene.clock.advance(by: whenTold)
        shop.receiver.answer { _ in
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            return nil
        }
        let before = shop.messages.count
        let dying = Task { await shop.send() }
        while shop.messages.count == before { try await Task.sleep(for: .milliseconds(10)) }
        dying.cancel()
        let lost = await dying.value
        let feed = shop.scene.store.webhooks.feed
        let lease = try #require(
            try await feed.take(10, "dead", shop.scene.clock.now, except: []).first)
        shop.receiver.answer { _ in .status(200) }
        #expect(await shop.send(after: 5).isEmpty)
        let again = await shop.send(after: 6)
        #expect(again.map(\.id) == [try #require(lost.first?.id)])
        // What the dead one would write is void.
        let results = WebhookResults(
            place: lease.place, rejections: lease.rejections, delivered: 0, failed: 0, done: [],
            failures: [], health: WebhookHealth(), stop: nil)
        #expect(try await !feed.record(lease, results, shop.scene.clock.now))
        #expect(await shop.send(after: 100).isEmpty)
    }
}
