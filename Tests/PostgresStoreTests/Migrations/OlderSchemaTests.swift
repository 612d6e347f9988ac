import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A database of before texts were packed and what is pending had a table.
struct `A database of an older schema` {
    private static let olderMigrations = 69

    @Test func `reads the same after it was migrated, and goes on`() async throws {
        let database = try await TestDatabase.make()
        try await fill(database)
        _ = try await Migrator(Schema.migrations).migrate(database.pool)

        let store = database.store
        let tenant = try await store.tenants.ensure("shop").id
        let order = ActivityID(rawValue: "order-1")
        let rows = try await store.projections.decisions(tenant, order, 0, 10)
        #expect(rows.map(\.decision.version) == [1, 2])
        let first = rows[0].decision
        #expect(first.reason == "Ein Grund – „so“.")
        #expect(first.alert == Alert(title: "T", body: "B", sound: "default"))
        #expect(first.significance == .alert)
        #expect(first.contentState == Data(#"{"v":1}"#.utf8))
        #expect(first.order?.isImmediate == true)
        #expect(first.relevanceScore == 0.1)
        #expect(first.staleAt == first.decidedAt.adding(seconds: 600))
        #expect(rows[0].outcome?.accepted == 3)
        #expect(rows[0].outcome?.channels.accepted == 2)
        #expect(rows[1].decision.alert == nil && rows[1].outcome == nil)
        let snapshot = try #require(try await store.projections.snapshot(tenant, order))
        #expect(snapshot.state == Data(#"{"b": 2}"#.utf8))
        #expect(snapshot.contentState == Data(#"{"v":2}"#.utf8))
        #expect(snapshot.dispatch == Data(#"{"shown":7}"#.utf8))

        // What was pending still is, and goes when it is completed; the next event is folded.
        let claim = try #require(try await store.deliveries.claimNext(10, .all, nil).first)
        #expect(claim.pending.map(\.version) == [2])
        #expect(claim.lastCompleted?.version == 1)
        try await store.deliveries.complete(
            claim,
            LedgerRow.Outcome(
                carriedBy: 2, timestamp: 1, accepted: 1, failed: 0, completedAt: Samples.time))
        #expect(try await store.deliveries.nextDue() == nil)
        #expect(try await store.projections.decisions(tenant, order, 1, 1)[0].outcome != nil)
        _ = try await store.log.append(tenant, [Samples.event("3")])
        try await Samples.foldAll(store)
        #expect(try await store.projections.snapshot(tenant, order)?.version == 3)
        let kept = try await database.pool.query("SELECT count(state) FROM snapshot").first
        #expect(try kept?.int8(0) == 0, "a snapshot that is written again is packed")
    }

    /// Leaves the schema of before, with an activity of two events.
    private func fill(_ database: TestDatabase) async throws {
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        }
        _ = try await Migrator(Array(Schema.migrations.prefix(Self.olderMigrations)))
            .migrate(database.pool)
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1"), Samples.event("2")])
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                INSERT INTO decision (tenant, activity_id, version, position, verdict, rule, reason,
                    significance, alert, content_state, push_order, relevance_score, decided_at,
                    stale_at, carried_by, sent_timestamp, accepted, failed, channels_accepted,
                    settled_at)
                VALUES (\(tenant.rawValue), 'order-1', 1, 1, 'alert', 'r', 'Ein Grund – „so“.',
                    'alert', '{"body":"B","sound":"default","title":"T"}', '{"v":1}',
                    '{"isImmediate":true,"isImmediateForFrequent":false,"step":"asWanted"}', 0.1,
                    '2026-01-01Z', '2026-01-01 00:10Z', 1, 5, 3, 0, 2, now());
                INSERT INTO decision (tenant, activity_id, version, position, verdict, rule, reason,
                    content_state, decided_at)
                VALUES (\(tenant.rawValue), 'order-1', 2, 2, 'quiet', 'r', 'r', '{"v":2}',
                    '2026-01-01Z');
                INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
                    attributes, content_state, dispatch, updated_at)
                VALUES (\(tenant.rawValue), 'order-1', 'Sample', 2, 2, 'live', '{"b": 2}', '{}',
                    '{"v":2}', '{"shown":7}', '2026-01-01Z');
                UPDATE projection_checkpoint SET position = 2
                """)
        }
    }
}
