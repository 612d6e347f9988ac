import Delivery
import Domain
import EventStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A webhook whose secret not every node can open` {
    @Test func `rests while its secret cannot be opened`() async throws {
        let shop = try await Shop()
        try await shop.add(masterKeyID: "lost")
        try await shop.scene.report(.placed())
        let node = shop.sender()
        #expect(await shop.send(by: node).isEmpty)
        #expect(shop.diagnostics == [.sealed(webhook: "wh_1")])
        #expect(await shop.send(after: 10, by: node).isEmpty)
        #expect(shop.diagnostics.count == 1)
        #expect(try await shop.scene.store.lookAtFleet().webhooks.failing == 0, "others may do it")
        #expect(await shop.send(after: 50, by: node).isEmpty)
        #expect(try await shop.scene.store.lookAtFleet().webhooks.failing == 1)
        let secret = WebhookSecret(
            tenant: shop.scene.tenant, webhookID: "wh_1", sealed: [1], masterKeyID: "m1")
        _ = try await shop.scene.store.webhooks.rotate(secret, 0)
        #expect(await shop.send(after: 60, by: node).count == 1)
        #expect(try await shop.webhook().0.health == WebhookHealth())
    }

    @Test func `is not turned off for the time in which its secret could not be opened`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add(masterKeyID: "lost")
        try await shop.scene.report(.placed())
        let node = shop.sender()
        for seconds in [0, 60, 6 * 86_400] as [Double] { await shop.send(after: seconds, by: node) }
        #expect(try await shop.webhook().0.health.failingSince != nil)
        let secret = WebhookSecret(
            tenant: shop.scene.tenant, webhookID: "wh_1", sealed: [1], masterKeyID: "m1")
        _ = try await shop.scene.store.webhooks.rotate(secret, 0)
        shop.receiver.answer { _ in .status(503) }
        #expect(await shop.send(after: 60, by: node).count == 1)
        let webhook = try await shop.webhook().0
        #expect(webhook.stop == nil)
        #expect(webhook.health.failures == 1 && webhook.health.lastFailure == "status 503")
    }

    @Test func `is sent for by a node that has the master key while another one has not`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add(masterKeyID: "lost")
        let (without, with) = (shop.sender(), shop.sender(lacking: []))
        for number in 0..<5 {
            try await shop.scene.report(.placed("order-\(number)"))
            #expect(await shop.send(after: 30, by: without).isEmpty)
            #expect(await shop.send(by: with).count == 1)
            #expect(try await shop.webhook().0.health == WebhookHealth())
        }
        #expect(Set(shop.diagnostics) == [.sealed(webhook: "wh_1")])
    }

    @Test func `fails for as long as the node that has the master key sends in vain`()
        async throws
    {
        let shop = try await Shop()
        try await shop.add(masterKeyID: "lost")
        try await shop.scene.report(.placed())
        let (without, with) = (shop.sender(), shop.sender(lacking: []))
        shop.receiver.answer { _ in .status(503) }
        var since: [Moment?] = []
        for seconds in [60, 3600, 3600] as [Double] {
            await shop.send(after: seconds, by: without)
            #expect(await shop.send(after: seconds, by: with).count == 1)
            let health = try await shop.webhook().0.health
            #expect(health.lastFailure == "status 503")
            since.append(health.failingSince)
        }
        #expect(Set(since).count == 1)
    }
}
