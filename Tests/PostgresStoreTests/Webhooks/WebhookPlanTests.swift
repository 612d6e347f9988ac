import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Every look for webhooks that have something to be sent asks for rejected push tokens too, many
/// times a second.
struct `However many phones there are` {
    /// Those that live, those that are dead, those that were given up for another reason, and those
    /// whose rejection every webhook has received.
    private func crowd(_ database: TestDatabase) async throws {
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                last_failure, dead_at, is_unfit, given_up_at)
            SELECT $1, 'match-' || n % 50, n::text, 'sandbox', 'com.example', 'BadDeviceToken',
                CASE WHEN n % 4 IN (1, 3) THEN now() - interval '1 day' END, n % 4 = 3,
                CASE WHEN n % 4 = 2 THEN now()
                    WHEN n % 4 = 3 THEN now() - interval '1 day' END
            FROM generate_series(1, 40000) AS n
            """, [.tenant(tenant)])
        for number in 1...5 {
            let webhook = Webhook(
                tenant: tenant, id: "wh_\(number)", url: "https://a.example",
                createdAt: Samples.time)
            let secret = WebhookSecret(
                tenant: tenant, webhookID: webhook.id, sealed: [1], masterKeyID: "m")
            #expect(try await database.store.webhooks.add(webhook, secret))
        }
    }

    @Test(arguments: [false, true])
    func `a look for webhooks reads none that it has no need to`(isAnalyzed: Bool) async throws {
        let database = try await TestDatabase.make()
        let session = try await database.pool.openDedicated()
        try await session.script("PREPARE take AS \(WebhookWork.take)")
        _ = try await session.query("EXECUTE take (NULL, 50, 'lease', '{}')")
        try await crowd(database)
        if isAnalyzed { try await session.script("ANALYZE") }
        let rows = try await session.query(
            """
            EXPLAIN (ANALYZE, BUFFERS)
            EXECUTE take (now() + interval '1 hour', 50, 'lease', '{}')
            """)
        let plan = try rows.map { try $0.get(0, as: String.self) }
        let text = plan.joined(separator: "\n")
        await session.close()
        let index = plan.firstIndex { $0.contains("registration_rejected") }
        let place = try #require(index, "\(text)")
        #expect(plan[place].contains("rows=0 loops=5"), "\(text)")
        #expect(plan[place + 1].contains("Index Cond: ((tenant = "), "\(text)")
        #expect(plan[place + 1].contains("ROW("), "\(text)")
        #expect(!plan[place + 2].contains("Filter"), "\(text)")
    }

    @Test func `a page of rejected ones is read by its place`() async throws {
        let database = try await TestDatabase.make()
        try await crowd(database)
        let session = try await database.pool.openDedicated()
        try await session.script("PREPARE page AS \(RejectionQueries.page)")
        let rows = try await session.query(
            """
            EXPLAIN (ANALYZE) EXECUTE page (
                1, now() - interval '2 days', 0, NULL, NULL, NULL, 100)
            """)
        let plan = try rows.map { try $0.get(0, as: String.self) }
        let text = plan.joined(separator: "\n")
        await session.close()
        let index = plan.firstIndex { $0.contains("registration_rejected") }
        let place = try #require(index, "\(text)")
        #expect(plan[place].contains("rows=100 loops=1"), "\(text)")
    }
}
