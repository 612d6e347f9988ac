import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// What is counted for an answer is found by an index of its own, so that a count can end at its
/// bound whatever else there is of the activity: in a database in which nothing has happened yet,
/// as plans are made, and in one where it has.
struct `What is counted` {
    private static let followed = "1, 'crowd', 'com.example', 'sandbox'"
    private static let counts: [(sql: String, arguments: String, index: String)] = [
        (CardTally.sql, "1, 'crowd', NULL", "registration_unserved"),
        (AppQueries.deferredBy, "1, 'crowd'", "registration_held_of_activity"),
        (AppQueries.deferredBy, "1, 'crowd'", "card_start_held"),
        (PhonesBehind.sql, "1, 'crowd'", "registration_caught_up"),
        (PhonesBehind.refusing, "1, 'crowd'", "registration_unserved"),
        (PhonesBehind.refusing, "1, 'crowd'", "registration_given_up_of_activity"),
        (PhonesBehind.refusing, "1, 'crowd'", "registration_living"),
        (AudienceQueries.count, "1, 'crowd'", "card_start_of_state"),
        (FollowerQueries.count, followed, "registration_of_app"),
        (FollowerQueries.count, followed, "registration_moved"),
        (FollowerQueries.count, followed, "channel_listener_of_app"),
        (FollowerQueries.count, followed, "card_start_of_state"),
        (WebhookQueries.all, "1, NULL", "webhook_message_given_up_of_webhook"),
        (WebhookQueries.all, "1, NULL", "webhook_message_waiting"),
    ]

    @Test(arguments: counts, [false, true])
    func `is found by its own index`(
        _ count: (sql: String, arguments: String, index: String), _ isFull: Bool
    ) async throws {
        let database = try await TestDatabase.make()
        let session = try await database.pool.openDedicated()
        if isFull { try await session.script(Self.many) }
        try await session.script("SET plan_cache_mode = force_generic_plan")
        try await session.script("BEGIN; \(TenantScopedPool.alongIndexes.sql)")
        try await session.script("PREPARE asked AS \(count.sql)")
        let rows = try await session.query("EXPLAIN EXECUTE asked (\(count.arguments))")
        await session.close()
        let plan = try rows.map { try $0.get(0, as: String.self) }
        let place = try #require(
            plan.firstIndex { $0.contains("using \(count.index) ") },
            "\(plan.joined(separator: "\n"))")
        #expect(plan[place + 1].contains("Index Cond: ((tenant = "), "\(plan[place + 1])")
        #expect(!plan.contains { $0.contains("Seq Scan on registration") })
    }

    /// Of one activity, of which next to nothing is counted, and of another, of which all is.
    private static let many = """
        SET session_replication_role = replica;
        INSERT INTO registration (
            tenant, activity_id, push_token, environment, bundle_id, retry_at, last_failure, dead_at
        )
        SELECT 1, a, n, 'sandbox', 'com.example',
            CASE WHEN n % 2 = 0 AND a = 'other' THEN now() END,
            CASE WHEN n % 2 = 0 AND a = 'other' THEN 'no-app' END,
            CASE WHEN n % 2 = 1 AND a = 'other' THEN now() END
        FROM generate_series(1, 5000) n, unnest('{crowd,other}'::text[]) a;
        INSERT INTO card_start (tenant, activity_id, device_id, state, put_version)
        SELECT 1, a, n, 'started', 1
        FROM generate_series(1, 5000) n, unnest('{crowd,other}'::text[]) a;
        INSERT INTO webhook (tenant, id, url, kinds, phases, position)
        VALUES (1, 'w', '', '{}', '{}', 0);
        INSERT INTO webhook_message (
            tenant, webhook_id, activity_id, after_version, version, attempts, first_tried_at,
            tried_at, retry_at, given_up_at, last_failure
        )
        SELECT 1, 'w', n, 0, 1, 1, now(), now(), CASE WHEN n % 2 = 0 THEN now() END,
            CASE WHEN n % 2 = 1 THEN now() END, ''
        FROM generate_series(1, 5000) n;
        RESET session_replication_role;
        ANALYZE;
        """
}
