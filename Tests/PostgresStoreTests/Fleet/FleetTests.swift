import Domain
import EventStore
import Foundation
import Postgres
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStore

/// What metrics ask the database about all nodes.
struct `A look at the fleet` {
    private func script(_ database: TestDatabase, _ sql: String) async throws {
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(sql)
        }
    }

    @Test func `finds nothing in an empty database`() async throws {
        let database = try await TestDatabase.make()
        let facts = try await database.store.lookAtFleet()
        #expect(facts.unsent == FleetFacts.Waiting())
        #expect(facts.owed == FleetFacts.Waiting())
        #expect(facts.claims.isEmpty)
        #expect(facts.deadLetters == [.push: 0, .start: 0, .webhook: 0])
        #expect(facts.parked == 0)
        #expect(facts.webhooks == FleetFacts.Webhooks())
        #expect(facts.tables.contains { $0.name == "event" && $0.bytes > 0 })
    }

    @Test func `tells how long the oldest unsent change has been due, and who owns what`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id.rawValue
        // One that waits, one whose time has not come, one that is completed, one after an end.
        try await database.alter(
            """
            INSERT INTO decision (tenant, activity_id, version, position, verdict, rule, reason,
                content_state, decided_at, send_after, settled_at, carried_by, accepted, failed)
            VALUES
                (\(tenant), 'waits', 1, 1, 'alert', 'r', 'r', '{}', now() - interval '90 s',
                    NULL, NULL, NULL, NULL, NULL),
                (\(tenant), 'later', 1, 2, 'quiet', 'r', 'r', '{}', now() - interval '1 h',
                    now() + interval '1 h', NULL, NULL, NULL, NULL),
                (\(tenant), 'done', 1, 3, 'quiet', 'r', 'r', '{}', now() - interval '1 h',
                    NULL, now(), 1, 1, 0),
                (\(tenant), 'ended', 1, 4, 'end', 'r', 'r', '{}', now() - interval '2 h',
                    NULL, now(), 1, 1, 0),
                (\(tenant), 'ended', 2, 5, 'quiet', 'r', 'r', '{}', now() - interval '2 h',
                    NULL, NULL, NULL, NULL, NULL);
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                retry_at, last_failure)
            VALUES
                (\(tenant), 'waits', 'a', 'sandbox', 'app', now() - interval '40 s', 'status 503'),
                (\(tenant), 'waits', 'b', 'sandbox', 'app', 'epoch', NULL),
                (\(tenant), 'waits', 'c', 'sandbox', 'app', now() - interval '1 h', 'no-app');
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                given_up_at)
            VALUES (\(tenant), 'waits', 'd', 'sandbox', 'app', now());
            INSERT INTO app_alarm VALUES
                (\(tenant), 'app', 'sandbox', 'key-refused', 'InvalidProviderToken', now(), now())
            """)
        let facts = try await database.store.lookAtFleet()
        #expect(facts.unsent.count == 1)
        #expect(facts.unsent.seconds > 85 && facts.unsent.seconds < 300)
        #expect(facts.owed.count == 2, "a phone of a stopped app waits for its app")
        #expect(facts.owed.seconds > 35 && facts.owed.seconds < 300)
        #expect(facts.deadLetters[.push] == 1)
        #expect(facts.stoppedApps == [.keyRefused: 1, .noApp: 1])
    }

    @Test func `tells how far the clock is behind what was dated before it was set back`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1", "order-1")])
        #expect(try await database.store.lookAtFleet().clockBehindSeconds == 0)
        try await script(
            database, "UPDATE log_head SET recorded_at = clock_timestamp() + interval '1 h'")
        let byLog = try await database.store.lookAtFleet().clockBehindSeconds
        #expect(byLog > 3_300 && byLog <= 3_600)
        try await script(
            database, "UPDATE log_identity SET beat_at = clock_timestamp() + interval '2 h'")
        let byBeat = try await database.store.lookAtFleet().clockBehindSeconds
        #expect(byBeat > 6_900 && byBeat <= 7_200)
    }

    @Test func `counts claims by the node that has them`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id.rawValue
        let node = database.makePool(connectionsMax: 1)
        try await node.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                SET application_name = 'islet/north';
                SELECT pg_advisory_lock(\(tenant), hashtext('a')),
                    pg_advisory_lock(\(tenant), hashtext('b')),
                    pg_advisory_lock(hashtext('islet rebuild'), \(tenant))
                """)
            let facts: FleetFacts
            do throws(EventStoreError) { facts = try await database.store.lookAtFleet() } catch {
                throw .connectionLost(detail: "\(error)")
            }
            if facts.claims != ["north": 2] { Issue.record("\(facts.claims)") }
        }
        await node.close()
    }
}
