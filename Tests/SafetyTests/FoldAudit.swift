import Domain
import EventLoop
import EventStore
import Foundation
import Postgres
import Testing

/// Compares what was folded with the log.
struct FoldAudit {
    private let pool: Pool
    private let store: EventStore
    let tenant: Tenant

    init(url: String, tenant name: String) async throws {
        let audited = try await TenantUnderAudit(name, at: url)
        (pool, store, tenant) = (audited.pool, audited.store, audited.tenant)
    }

    func close() async { await pool.close() }

    /// A log that was there before: orders of twenty events, recorded just now.
    func prepend(events: Int) async throws {
        _ = try await pool.query(
            """
            INSERT INTO event (tenant, position, activity_id, version, event_id, source, type,
                schema_version, occurred_at, recorded_at, data)
            SELECT $1, n, 'early-' || (n - 1) / 20, 1 + (n - 1) % 20, 'early-' || n, '/early',
                'PizzaDelivery.DriverLocated', 1, now(), now(),
                jsonb_build_object('distanceMeters', n % 9000)
            FROM generate_series(1, $2::int8) n
            """, [.int4(tenant.id.rawValue), .int8(Int64(events))])
        _ = try await pool.query(
            "UPDATE log_head SET position = $2, recorded_at = now() WHERE tenant = $1",
            [.int4(tenant.id.rawValue), .int8(Int64(events))])
    }

    /// Nil while the database is away.
    var status: ProjectionStatus? {
        get async { try? await store.upkeep.status().first { $0.tenant.id == tenant.id } }
    }

    /// - Returns: whether all is folded within three minutes.
    func waitUntilFolded() async -> Bool {
        for _ in 0..<3_600 {
            if let status = await status, status.checkpoint == status.head { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    /// Every event has been folded into one decision or is parked, and none of them twice.
    /// - Returns: number of decisions, and of parked events.
    func checkLedger() async throws -> (decisions: Int64, parked: Int64) {
        let row = try #require(
            try await pool.query(
                """
                WITH done AS (
                    SELECT position FROM decision WHERE tenant = $1
                    UNION ALL
                    SELECT position FROM parked_event
                    WHERE tenant = $1 AND generation = live_generation($1)
                )
                SELECT (SELECT count(*) FROM done), (SELECT count(DISTINCT position) FROM done),
                    (SELECT count(*) FROM event WHERE tenant = $1),
                    (SELECT count(*) FROM decision d JOIN event e
                        ON e.tenant = d.tenant AND e.position = d.position
                            AND e.activity_id = d.activity_id AND e.version = d.version
                        WHERE d.tenant = $1),
                    (SELECT count(*) FROM decision WHERE tenant = $1),
                    (SELECT count(DISTINCT generation) FROM snapshot WHERE tenant = $1),
                    (SELECT c.position FROM projection_checkpoint c WHERE c.tenant = $1)
                """, [.int4(tenant.id.rawValue)]
            ).first)
        let counts = try (0..<7).map { try row.get($0, as: Int64.self) }
        #expect(counts[0] == counts[2], "folded or parked against recorded")
        #expect(counts[1] == counts[2], "something was folded twice, or folded and parked")
        #expect(counts[3] == counts[4], "a decision is about another version than the event")
        #expect(counts[6] == counts[2], "the checkpoint against the log's end")
        return (counts[4], counts[0] - counts[4])
    }

    /// Every column of every live snapshot, byte by byte, but the generation's number.
    func snapshots() async throws -> [String] {
        let columns = try await pool.query(
            """
            SELECT quote_ident(attname) FROM pg_attribute
            WHERE attrelid = 'snapshot'::regclass AND attnum > 0 AND NOT attisdropped
                AND attname <> 'generation' ORDER BY attnum
            """
        ).map { try $0.get(0, as: String.self) }
        return try await pool.query(
            """
            SELECT ROW(\(columns.joined(separator: ", ")))::text FROM snapshot
            WHERE tenant = $1 AND generation = live_generation($1) ORDER BY activity_id
            """, [.int4(tenant.id.rawValue)]
        ).map { try $0.get(0, as: String.self) }
    }

    /// As operators of a parked list see it, but the time.
    func parked() async throws -> [String] {
        try await pool.query(
            """
            SELECT ROW(position, activity_id, reason, is_skipped)::text FROM parked_event
            WHERE tenant = $1 AND generation = live_generation($1) ORDER BY position
            """, [.int4(tenant.id.rawValue)]
        ).map { try $0.get(0, as: String.self) }
    }
}
