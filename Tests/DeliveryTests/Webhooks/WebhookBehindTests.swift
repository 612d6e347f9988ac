import Domain
import EventLoop
import EventStore
import Testing

/// More changes than a page has, of activities that have changed again meanwhile.
struct `A webhook that is behind` {
    /// An order that says something, and much later an event that says nothing.
    private func overtaken(
        _ shop: Shop, _ order: [Fact] = [.placed(), .assigned("Ada")]
    ) async throws {
        try await shop.scene.report(order)
        try await shop.scene.report((0..<70).map { Fact.placed("other-\($0)") })
        try await shop.scene.report(.assigned("Ada", minute: 6))
    }

    @Test func `hears of what was overtaken pages before its activity comes`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await overtaken(shop)
        let sent = await shop.send()
        #expect(sent.count == 71)
        let about = sent.filter { $0.activity == Fact.order }
        #expect(about.map(\.version) == [2])
        #expect(about.map(\.driver) == ["Ada"])
        #expect(try await shop.webhook().1.behind == 0)
    }

    @Test func `hears of it once, though the order had been sent before`() async throws {
        let shop = try await Shop()
        try await shop.add()
        var order: [Fact] = [.placed(), .assigned("Ada")]
        try await shop.scene.report(order)
        #expect(await shop.send().map(\.version) == [2])
        // Of the same moments: the timer begins when the order was placed, in whole seconds.
        for index in order.indices { order[index].event.id += "-again" }
        try await overtaken(shop, order)
        #expect(await shop.send().allSatisfy { $0.activity != Fact.order })
    }

    @Test func `hears of it when the webhook rests in the middle`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await overtaken(shop)
        // Of the first page nothing arrives, so that the webhook rests.
        shop.receiver.answer { _ in .status(503) }
        #expect(await shop.send().allSatisfy { $0.activity != Fact.order })
        shop.receiver.answer { _ in .status(200) }
        let sent = await shop.send(after: 600)
        #expect(sent.filter { $0.activity == Fact.order }.map(\.version) == [2])
        #expect(try await shop.webhook().1.behind == 0)
    }

    @Test func `hears of what many events that say nothing have followed`() async throws {
        let shop = try await Shop()
        try await shop.add()
        try await shop.scene.report(.placed(), .assigned("Ada"))
        shop.receiver.answer { _ in .status(503) }
        #expect(await shop.send().map(\.version) == [2])
        for first in stride(from: 0, to: 300, by: 100) {
            try await shop.scene.report(
                (first..<first + 100).map { _ in Fact.assigned("Ada", minute: 6) })
        }
        shop.receiver.answer { _ in .status(200) }
        #expect(await shop.send(after: 600).map(\.version) == [2])
    }

    /// More activities than a page has. Something happens while the first of them is sent.
    private func send(
        _ shop: Shop, _ change: @escaping @Sendable () async throws -> Void
    ) async throws -> [RecordingReceiver.Message] {
        try await shop.scene.report((0..<100).map { Fact.placed("other-\($0)") })
        let isChanged = Lock(false)
        shop.receiver.answer { _ in
            let isFirst = isChanged.withLock { wasChanged in
                defer { wasChanged = true }
                return !wasChanged
            }
            if isFirst {
                do { try await change() } catch { Issue.record("\(error)") }
            }
            return .status(200)
        }
        return await shop.send()
    }

    @Test func `goes on at another address as soon as it has one`() async throws {
        let shop = try await Shop()
        try await shop.add()
        let edit = WebhookEdit(url: "https://other.example/wh_1")
        let sent = try await send(shop) {
            _ = try await shop.scene.store.webhooks.edit(shop.scene.tenant, "wh_1", edit)
        }
        #expect(sent.count == 100)
        let old = sent.filter { $0.url != edit.url }
        #expect(old.count <= 32)
    }

    @Test(arguments: [WebhookEdit(kinds: ["Match"]), WebhookEdit(phases: [.ended])])
    func `is sent no more of what it does not ask for any longer`(edit: WebhookEdit) async throws {
        let shop = try await Shop()
        try await shop.add()
        let sent = try await send(shop) {
            _ = try await shop.scene.store.webhooks.edit(shop.scene.tenant, "wh_1", edit)
        }
        #expect(sent.count <= 32)
        #expect(try await shop.webhook().1.behind == 0)
    }

    @Test func `is signed for with a new secret too as soon as it has one`() async throws {
        let shop = try await Shop()
        try await shop.add()
        let secret = WebhookSecret(
            tenant: shop.scene.tenant, webhookID: "wh_1", sealed: [1], masterKeyID: "m1")
        let sent = try await send(shop) {
            _ = try await shop.scene.store.webhooks.rotate(secret, 3_600)
        }
        #expect(sent.count == 100)
        let old = sent.filter { $0.headers["webhook-signature"]?.contains(" ") == false }
        #expect(old.count <= 32)
    }
}
