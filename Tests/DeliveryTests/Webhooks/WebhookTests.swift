import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import Postgres
import StoreTestSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A webhook` {
    @Test func `gets each change that is worth a push, with its words`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        #expect(await shop.send().map(\.type) == ["activity.updated"])
        try await shop.scene.report(.assigned("Ada"))
        let assigned = try #require(await shop.send().first)
        #expect(assigned.driver == "Ada")
        #expect(assigned.version == 2)
        #expect(assigned.url == "https://shop.example/wh_1")
        // Receivers know it by this, whichever release sends it again.
        #expect(assigned.id == "msg_34b7009427bf35b0b2f278382e96e26f")
        #expect(assigned.headers["webhook-signature"]?.hasPrefix("v1,") == true)
        try await shop.scene.report(.arriving())
        #expect(await shop.send().map(\.type) == ["activity.alert"])
        try await shop.scene.report(.delivered())
        #expect(await shop.send().map(\.type) == ["activity.ended"])
        #expect(await shop.send().isEmpty)
        #expect(Set(shop.messages.map(\.id)).count == 4)
        let (webhook, figures) = try await shop.webhook()
        #expect(figures.delivered == 4)
        #expect(figures.behind == 0)
        #expect(webhook.health == WebhookHealth())
    }

    /// No push brings them to cards that run.
    @Test func `hears of attributes that change, although no phone is sent anything`() async throws
    {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        #expect(await shop.send().map(\.version) == [1])
        try await shop.scene.report(.placed(number: "1043"))
        let message = try #require(await shop.send().first)
        #expect(message.type == "activity.updated" && message.version == 2)
        #expect(message.text.contains(#""orderNumber":"1043""#))
        #expect(try await shop.scene.ledger().last?.decision.verdict == .hold)
        #expect(await shop.send().isEmpty)
    }

    @Test func `gets another id for what a restored log says again`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        shop.receiver.answer { _ in .status(503) }
        let before = try #require(await shop.send().first)
        let epoch = try #require(
            try await shop.scene.store.identity.accept(
                LogAcceptance(isComplete: false, aheadSeconds: 0)))
        shop.receiver.answer { _ in .status(200) }
        let after = try #require(await shop.send(after: 3_600).first)
        #expect(after.version == before.version)
        #expect(after.id != before.id)
        #expect(!before.text.contains("\"epoch\""))
        #expect(after.text.contains("\"epoch\":\(epoch)"))
    }

    /// Its versions begin with 1 again, and a receiver drops what has an id that it has had.
    @Test func `gets other ids for an activity that was dropped and is reported again`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed())
        shop.receiver.answer { _ in .status(500) }
        let before = try #require(await shop.send().first)
        shop.receiver.answer { _ in .status(200) }
        #expect(await shop.send(after: 6).map(\.id) == [before.id])
        try await shop.drop(Fact.order)
        try await shop.scene.report(.placed())
        let after = try #require(await shop.send().first)
        #expect(after.activity == before.activity)
        #expect(after.version == before.version)
        #expect(after.id != before.id)
    }

    @Test(arguments: [true, false])
    func `hears words of a restored log that it has not heard, and no others`(
        hasHeard: Bool
    ) async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned("Ada"))
        if hasHeard { #expect(await shop.send().map(\.type) == ["activity.alert"]) }
        _ = try await shop.scene.store.identity.accept(
            LogAcceptance(isComplete: false, aheadSeconds: 0))
        let after = await shop.send()
        #expect(after.map(\.type) == [hasHeard ? "activity.updated" : "activity.alert"])
        #expect(after.map(\.driver) == ["Ada"])
        #expect(after.first?.alerts.isEmpty == hasHeard)
        #expect(await shop.send(after: 600).isEmpty)
    }

    @Test func `gets nothing of what was before it`() async throws {
        let shop = try await Shop()
        try await shop.scene.report(.placed(), .assigned("Ada"))
        try await shop.add()
        #expect(await shop.send().isEmpty)
        try await shop.scene.report(.assigned("Bob"))
        #expect(await shop.send().map(\.driver) == ["Bob"])
    }

    @Test func `gets once what has piled up, and no words are lost`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned("Ada"), .pickedUp(), .arriving())
        let message = await shop.send()
        #expect(message.count == 1)
        #expect(message.first?.version == 4)
        #expect(message.first?.type == "activity.alert")
        #expect(message.first?.alerts.isEmpty == false)
    }

    /// Such an event changes nothing of the activity, nor does one that waits behind another.
    @Test func `hears nothing again when an event is parked that changes nothing`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned("Ada"))
        #expect(await shop.send().count == 1)
        try await shop.park("Match.FullTimeReached")
        #expect(await shop.send().isEmpty)
        try await shop.park("PizzaDelivery.DriverAssigned", #"{"driverName":7}"#)
        await shop.send()
        try await shop.park("PizzaDelivery.OrderPickedUp")
        #expect(await shop.send().isEmpty)
        #expect(try await shop.scene.store.upkeep.allParked(shop.scene.tenant).count == 3)
        // What is released is news.
        let repair = Repair(shop.scene.store, tenant: shop.scene.tenant)
        #expect(try await repair.skip(4).result?.released == 1)
        #expect(await shop.send().map(\.version) == [5])
    }

    @Test func `hears nothing again when a newer fold shows the same`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned("Ada"))
        try await shop.park("Match.FullTimeReached")
        #expect(await shop.send().map(\.type) == ["activity.alert"])
        try await shop.scene.database.alter("UPDATE snapshot SET fold_version = fold_version - 1")
        let repair = Repair(shop.scene.store, tenant: shop.scene.tenant)
        #expect(try await repair.retry(nil).first?.remaining == 1)
        #expect(await shop.send().isEmpty)
    }

    @Test func `is only told of what it asked for`() async throws {
        let shop = try await Shop()
        try await shop.add("wh_match", kinds: ["Match"])
        try await shop.add("wh_ended", kinds: ["PizzaDelivery", "Match"], phases: [.ended])
        try await shop.scene.report(.placed(), .assigned("Ada"))
        #expect(await shop.send().isEmpty)
        try await shop.scene.report(.delivered())
        #expect(await shop.send().map(\.url) == ["https://shop.example/wh_ended"])
        #expect(try await shop.webhook("wh_match").1.behind == 0)
    }

    @Test func `gets what did not arrive again, with the newest state`() async throws {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .status(500) }
        try await shop.scene.report(.placed(), .assigned("Ada"))
        let first = await shop.send()
        #expect(first.count == 1)
        #expect(await shop.send(after: 1).isEmpty)
        let second = await shop.send(after: 5)
        #expect(second.map(\.id) == first.map(\.id))
        #expect(second.map(\.body) == first.map(\.body))
        #expect(try await shop.webhook().1.waiting == 1)
        try await shop.scene.report(.assigned("Bob"))
        shop.receiver.answer { _ in .status(200) }
        // What is new is not kept waiting by what failed before it.
        let third = await shop.send(after: 5)
        #expect(third.map(\.driver) == ["Bob"])
        #expect(third.first?.id != first.first?.id)
        #expect(await shop.send(after: 100_000).isEmpty)
        #expect(try await shop.webhook().1.waiting == 0)
        #expect(
            shop.diagnostics == [
                .failing(webhook: "wh_1", reason: "status 500"), .recovered(webhook: "wh_1"),
            ])
    }

    @Test func `gets all that waits as soon as it answers again`() async throws {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .notAnswered(reason: "cannot-connect") }
        for name in ["a", "b", "c"] { try await shop.scene.report(.placed(name)) }
        for _ in 0..<3 { await shop.send(after: 400) }
        #expect(try await shop.webhook().1.waiting == 3)
        shop.receiver.answer { _ in .status(200) }
        try await shop.scene.report(.placed("d"))
        let told = await shop.send(after: 200)
        #expect(Set(told.compactMap(\.activity)) == ["a", "b", "c", "d"])
        #expect(told.count == 4)
    }

    @Test func `is not sent for ever what it does not take`() async throws {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { $0.activity == "bad" ? .status(400) : .status(200) }
        try await shop.scene.report(.placed("bad"), .placed("good"))
        var rules = WebhookRules()
        rules.attemptsMax = 3
        for _ in 0..<6 { await shop.send(after: 2_000, rules: rules) }
        #expect(shop.messages.count { $0.activity == "bad" } == 3)
        #expect(shop.messages.count { $0.activity == "good" } == 1)
        let figures = try await shop.webhook().1
        #expect(figures.waiting == 0)
        #expect(figures.givenUp == 1)
        #expect(
            shop.diagnostics.contains(.givenUp(webhook: "wh_1", count: 1, reason: "status 400")))
        // A later change is another message.
        shop.receiver.answer { _ in .status(200) }
        try await shop.scene.report(.assigned("Ada", "bad"))
        #expect(await shop.send(after: 600, rules: rules).map(\.driver) == ["Ada"])
    }

    @Test func `is turned off when it says so, and goes on when it is turned on`() async throws {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .status(410) }
        try await shop.scene.report(.placed("a"))
        #expect(await shop.send().count == 1)
        #expect(try await shop.webhook().0.stop == .gone)
        try await shop.scene.report(.placed("b"))
        #expect(await shop.send(after: 1_000).isEmpty)
        shop.receiver.answer { _ in .status(200) }
        _ = try await shop.scene.store.webhooks.edit(
            shop.scene.tenant, "wh_1", WebhookEdit(isEnabled: true))
        #expect(Set(await shop.send().compactMap(\.activity)) == ["a", "b"])
    }

    @Test func `is turned off after days in which nothing arrives`() async throws {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .notAnswered(reason: "name-not-found") }
        try await shop.scene.report(.placed("a"))
        await shop.send()
        try await shop.scene.report(.placed("b"))
        await shop.send(after: 5 * 86_400)
        #expect(try await shop.webhook().0.stop == .failing)
        #expect(
            shop.diagnostics.contains(.stopped(webhook: "wh_1", .failing, reason: "name-not-found"))
        )
    }

    @Test func `is left alone for as long as it asks`() async throws {
        let shop = try await Shop()
        try await shop.add()
        shop.receiver.answer { _ in .status(429, after: 120) }
        try await shop.scene.report(.placed("a"))
        await shop.send()
        shop.receiver.answer { _ in .status(200) }
        try await shop.scene.report(.placed("b"))
        #expect(await shop.send(after: 100).isEmpty)
        #expect(Set(await shop.send(after: 30).compactMap(\.activity)) == ["a", "b"])
    }

    @Test func `is signed for with both secrets while one takes over from the other`() async throws
    {
        let shop = try await Shop()
        try await shop.add()
        let secret = WebhookSecret(
            tenant: shop.scene.tenant, webhookID: "wh_1", sealed: [1], masterKeyID: "m1")
        _ = try await shop.scene.store.webhooks.rotate(secret, 3_600)
        try await shop.scene.report(.placed("a"))
        #expect(await shop.send()[0].headers["webhook-signature"]?.split(separator: " ").count == 2)
        _ = try await shop.scene.store.webhooks.rotate(secret, 0)
        try await shop.scene.report(.placed("b"))
        #expect(await shop.send()[0].headers["webhook-signature"]?.split(separator: " ").count == 1)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Webhooks on several nodes` {
    @Test func `get messages of one node at a time, each activity in its order`() async throws {
        let shop = try await Shop()
        try await shop.add()
        let nodes = [shop.scene.anotherNode(), shop.scene.anotherNode()]
        shop.receiver.answer { _ in
            try? await Task.sleep(for: .milliseconds(1))
            return .status(200)
        }
        await withTaskGroup(of: Void.self) { group in
            for node in nodes {
                group.addTask {
                    for _ in 0..<40 {
                        await shop.sender(node.store).drain()
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                }
            }
            for number in 0..<12 {
                try? await shop.scene.report(
                    (0..<5).map {
                        number == 0
                            ? .placed("order-\($0)") : .assigned("D\(number)", "order-\($0)")
                    })
            }
        }
        await shop.send()
        for index in 0..<5 {
            let versions = shop.messages.filter { $0.activity == "order-\(index)" }
                .compactMap(\.version)
            #expect(versions == Array(Set(versions)).sorted())
            #expect(versions.last == 12)
        }
        for node in nodes { await node.pool.close() }
    }

    @Test func `get again, by the same names, what a node died with`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed("a"), .placed("b"))
        // It sends all and dies before it can write that down.
        shop.receiver.answer { _ in
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
            return nil
        }
        let dying = Task { await shop.send() }
        try await waitUntil { shop.messages.count == 2 }
        dying.cancel()
        let lost = await dying.value
        let lease = try await shop.scene.store.webhooks.feed.take(
            10, "dead", shop.scene.clock.now, except: [])
        #expect(lease.count == 1)
        shop.receiver.answer { _ in .status(200) }
        // Nobody else may while the dead one's lease lasts.
        #expect(await shop.send(after: 5).isEmpty)
        let again = await shop.send(after: 6)
        #expect(Set(again.map(\.id)) == Set(lost.map(\.id)))
        // What the dead one would write is void.
        let results = WebhookResults(
            place: .init(position: 0), rejections: lease[0].rejections, delivered: 9, failed: 0,
            done: [], failures: [], health: WebhookHealth(), stop: nil)
        let isKept = try await shop.scene.store.webhooks.feed.record(
            lease[0], results, shop.scene.clock.now)
        #expect(!isKept)
        #expect(try await shop.webhook().1.delivered == 2)
        #expect(await shop.send(after: 100).isEmpty)
    }

    @Test func `that are slow keep no other waiting`() async throws {
        let shop = try await Shop()
        try await shop.add("wh_slow")
        try await shop.add("wh_quick")
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        shop.receiver.answer { message in
            if message.url.hasSuffix("wh_slow") { for await _ in gate { break } }
            return .status(200)
        }
        let sender = shop.sender()
        let running = Task { await sender.run() }
        try await shop.scene.report(.placed())
        func quick() -> [Int64] {
            shop.messages.filter { $0.url.hasSuffix("wh_quick") }.compactMap(\.version)
        }
        func slow() -> [Int64] {
            shop.messages.filter { $0.url.hasSuffix("wh_slow") }.compactMap(\.version)
        }
        // The slow one too, or its first message would have both changes.
        try await waitUntil { quick() == [1] && slow() == [1] }
        try await shop.scene.report(.assigned("Ada"))
        try await waitUntil { quick() == [1, 2] }
        #expect(slow() == [1])
        opener.finish()
        try await waitUntil { slow() == [1, 2] }
        running.cancel()
        await running.value
    }
}
