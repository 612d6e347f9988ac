import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Verifying, rebuilding and folding ask for the snapshots of some hundred activities at a time.
struct `Of many snapshots` {
    @Test(arguments: [false, true])
    func `those of some activities are found without reading all`(isAnalyzed: Bool) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await database.pool.query(
            """
            INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, folded,
                updated_at)
            SELECT $1, 'order-' || n, 'PizzaDelivery', 1, n, 'live', repeat('x', 300)::bytea, now()
            FROM generate_series(1, 3000) AS n
            """, [.tenant(tenant)])
        if isAnalyzed { _ = try await database.pool.query("ANALYZE snapshot") }
        let session = try await database.pool.openDedicated()
        try await session.script(
            "PREPARE these AS \(Snapshot.several)")
        let names = (1...500).map { "order-\($0 * 5)" }.joined(separator: ",")
        let rows = try await session.query(
            "EXPLAIN (ANALYZE) EXECUTE these (\(tenant.rawValue), 1, '{\(names)}')")
        let plan = try rows.map { try $0.get(0, as: String.self) }.joined(separator: "\n")
        await session.close()
        #expect(plan.contains("Index Scan using snapshot_key"), "\(plan)")
        #expect(plan.contains("rows=1 loops=500"), "\(plan)")
        #expect(!plan.contains("Seq Scan"), "\(plan)")
    }
}
