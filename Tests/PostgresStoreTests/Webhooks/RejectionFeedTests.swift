import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A tenant with a webhook, and phones whose tokens are rejected.
private struct Scene {
    let database: TestDatabase
    let tenant: TenantID

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
    }

    var feed: any WebhookFeed { database.store.webhooks.feed }

    func addWebhook(_ id: String = "wh_1") async throws {
        let webhook = Webhook(
            tenant: tenant, id: id, url: "https://a.example", createdAt: Samples.time)
        let secret = WebhookSecret(
            tenant: tenant, webhookID: id, sealed: [1], masterKeyID: "m")
        #expect(try await database.store.webhooks.add(webhook, secret))
    }

    static let reject = """
        INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
            last_failure, dead_at, is_unfit, given_up_at)
        VALUES ($1, 'order-1', $2, 'sandbox', 'com.example', 'BadDeviceToken',
            clock_timestamp(), true, clock_timestamp())
        """

    func reject(_ token: String) async throws {
        _ = try await database.pool.query(Self.reject, [.tenant(tenant), .text(token)])
    }

    /// What there is to tell so many seconds from now.
    func told(after seconds: Double) async throws -> [RejectedToken] {
        let clock = try await database.store.deliveries.time().adding(seconds: seconds)
        guard let lease = try await feed.take(1, "lease-\(seconds)", clock, except: []).first else {
            return []
        }
        let work = try await feed.work(lease, 10, clock)
        let page = try #require(work.rejections)
        let results = WebhookResults(
            place: work.place, rejections: RejectionProgress(place: page.upto), delivered: 1,
            failed: 0, done: [], failures: [], health: WebhookHealth(), stop: nil)
        #expect(try await feed.record(lease, results, clock))
        try await feed.release(lease)
        return page.tokens
    }
}

struct `A webhook's place among rejected push tokens` {
    @Test func `passes over none that is written down late`() async throws {
        let scene = try await Scene()
        try await scene.addWebhook()
        let late = try await scene.database.pool.openDedicated()
        try await late.script("BEGIN")
        _ = try await late.query(Scene.reject, [.tenant(scene.tenant), .text("a")])
        try await scene.reject("b")
        // As long as any statement may take.
        #expect(try await scene.told(after: 30).isEmpty)
        try await late.script("COMMIT")
        await late.close()
        let told = try await scene.told(after: 120)
        #expect(told.count == 2)
        #expect(told.map(\.place.registrationID) == told.map(\.place.registrationID).sorted())
        #expect(try await scene.told(after: 240).isEmpty)
    }

    @Test func `begins after what was rejected before there was the webhook`() async throws {
        let scene = try await Scene()
        try await scene.reject("a")
        try await scene.addWebhook()
        #expect(try await scene.told(after: 120).isEmpty)
        try await scene.reject("b")
        let told = try await scene.told(after: 120)
        #expect(told.map(\.deadLetter) == ["push-2"])
    }
}
