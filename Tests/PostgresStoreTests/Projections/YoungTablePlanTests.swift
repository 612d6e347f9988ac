import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A log that has just been imported: the planner takes each table for what it takes any for.
struct `In tables that were never analyzed` {
    @Test(arguments: [PostgresUpkeepStore.lags, PostgresUpkeepStore.status])
    func `the event that waits is found by its position`(_ sql: String) async throws {
        let plan = try await plan(of: sql)
        let text = plan.joined(separator: "\n")
        let index = plan.firstIndex { $0.contains("using event_key on event") }
        let place = try #require(index, "\(text)")
        #expect(plan[place + 1].contains("Index Cond: ((tenant = "), "\(text)")
        #expect(!text.contains("Seq Scan on event"), "\(text)")
    }

    @Test func `an end is looked up for each decision that waits`() async throws {
        let plan = try await plan(of: FleetQueries.unsent)
        let text = plan.joined(separator: "\n")
        #expect(!text.contains("Anti Join"), "\(text)")
        let index = plan.firstIndex { $0.contains("using decision_end on decision") }
        let place = try #require(index, "\(text)")
        #expect(plan[place + 1].contains("AND (version < d.version)"), "\(text)")
    }

    private func plan(of sql: String) async throws -> [String] {
        let database = try await TestDatabase.make()
        _ = try await database.store.tenants.ensure("acme")
        let session = try await database.pool.openDedicated()
        try await session.script(Self.much)
        let rows = try await session.query("EXPLAIN \(sql)")
        await session.close()
        return try rows.map { try $0.get(0, as: String.self) }
    }

    private static let much = """
        SET session_replication_role = replica;
        INSERT INTO event (
            tenant, position, activity_id, version, event_id, source, type, schema_version,
            occurred_at, recorded_at, data
        )
        SELECT 1, n, 'order-' || n, 1, n::text, 'tests', 'Sample.Happened', 1, now(), now(), '{}'
        FROM generate_series(1, 20000) AS n;
        UPDATE log_head SET position = 20000;
        INSERT INTO decision (
            tenant, activity_id, version, position, verdict, rule, reason, content_state,
            decided_at, settled_at, carried_by, accepted, failed
        )
        SELECT 1, 'order-' || n, 1, n, CASE WHEN n % 2 = 0 THEN 'end' ELSE 'quiet' END, 'r', 'r',
            '{}', now(), now(), 1, 1, 0
        FROM generate_series(1, 20000) AS n;
        INSERT INTO decision (
            tenant, activity_id, version, position, verdict, rule, reason, content_state,
            decided_at
        )
        SELECT 1, 'order-' || n, 2, 20000 + n, 'quiet', 'r', 'r', '{}', now()
        FROM generate_series(1, 100) AS n;
        INSERT INTO pending_decision (tenant, activity_id, version)
        SELECT 1, 'order-' || n, 2 FROM generate_series(1, 100) AS n
        """
}
