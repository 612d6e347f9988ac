import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// What metrics count without saying whose it is.
@Suite(.timeLimit(.minutes(1)))
struct `The doctor names the tenants` {
    private func findings(_ name: String, _ database: TestDatabase) async throws -> [Finding] {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let check = try #require(DatabaseChecks.checks.first(where: { $0.name == name }))
        guard case .findings(let found) = try await check.look(scene) else { return [] }
        return found
    }

    @Test func `that have dead letters, and how many of each carrier`() async throws {
        let database = try await TestDatabase.make()
        #expect(try await findings("dead letters", database).isEmpty)
        let shop = try await database.store.tenants.ensure("shop").id.rawValue
        let bar = try await database.store.tenants.ensure("bob's bar").id.rawValue
        let calm = try await database.store.tenants.ensure("calm").id.rawValue
        _ = try await database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                given_up_at, retry_at)
            VALUES (\(shop), 'a', 'x', 'sandbox', 'b', now(), NULL),
                (\(bar), 'a', 'y', 'sandbox', 'b', now(), NULL),
                (\(bar), 'a', 'z', 'sandbox', 'b', now(), NULL),
                (\(calm), 'a', 'w', 'sandbox', 'b', now(), now())
            """)
        _ = try await database.pool.query(
            """
            INSERT INTO card_start (tenant, activity_id, device_id, state, put_version)
            VALUES (\(shop), 'a', 1, 'refused', 1), (\(shop), 'a', 2, 'unknown', 1),
                (\(calm), 'a', 3, 'started', 1)
            """)
        let found = try await findings("dead letters", database)
        #expect(
            found.map(\.what) == [
                "shop has dead letters: 1 by push, 2 by start",
                "bob's bar has dead letters: 2 by push",
            ])
        #expect(
            found.last?.remedy.contains(#"dead-letters list --tenant 'bob'\''s bar'"#) == true)
    }

    @Test func `at whose webhooks nothing arrives, but none for a try that just failed`()
        async throws
    {
        let database = try await TestDatabase.make()
        let shop = try await database.store.tenants.ensure("shop").id.rawValue
        _ = try await database.pool.query(
            """
            INSERT INTO webhook (tenant, id, url, kinds, phases, position, failing_since,
                last_failure, disabled_at, disabled_by)
            VALUES (\(shop), 'wh_1', 'https://a', '{}', '{}', 0, now(), 'status 500', NULL, NULL),
                (\(shop), 'wh_2', 'https://b', '{}', '{}', 0, now() - interval '1 day',
                    'status 500', now(), 'failing')
            """)
        #expect(try await findings("webhooks", database).isEmpty)
        _ = try await database.pool.query(
            "UPDATE webhook SET failing_since = now() - interval '10 min'")
        let found = try await findings("webhooks", database)
        #expect(found.map(\.what) == ["nothing arrives at 1 webhook of shop (status 500)"])
        #expect(found.first?.remedy.hasPrefix("islet webhooks list --tenant 'shop'") == true)
    }

    @Test func `with most first, and of very many says how many others there are`() {
        let found = DeadLettersCheck.findings(
            (1...22).map { number in
                DeadLettersCheck.GivenUp(
                    tenant: "shop-\(number)", counts: [.push: 10_000, .start: 0, .webhook: 2])
            })
        #expect(found.count == 21)
        #expect(found[0].what == "shop-1 has dead letters: 10000 or more by push, 2 by webhook")
        #expect(found.last?.what == "the same is true of 2 more tenants")
    }
}
