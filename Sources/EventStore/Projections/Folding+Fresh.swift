import Domain
import Postgres

/// The short way, for what this node has recorded itself and nobody has folded yet: nothing is
/// read, and one statement writes and commits.
extension Folding {
    /// - Returns: how many events were folded; nil when that takes a look at the log.
    nonisolated(nonsending) static func fresh(
        _ pool: Pool, _ memory: Memory, _ tenant: TenantID, limit: Int,
        _ fold: (FoldBatch) -> FoldOutcome
    ) async throws(PostgresError) -> Int? {
        let before = memory.snapshots.mark(of: tenant)
        guard
            let stretch = memory.events.take(
                of: tenant, after: before?.position, limit: limit),
            let before, let last = stretch.events.last
        else { return nil }
        return try await pool.withConnection { (connection) async throws(PostgresError) in
            var batch = FoldBatch(tenant: tenant, events: stretch.events, snapshots: [:])
            // Read without a lock: whether it still holds is found out by the commit.
            try await complete(
                &batch, connection, before, policyEpoch: stretch.policyEpoch, memory)
            let outcome = await folded(batch, fold)
            guard !outcome.isOvertaken, outcome.wantsHistory.isEmpty, outcome.parked.isEmpty
            else { return nil }
            let statement = Statement.fold(outcome, of: tenant, from: before, upTo: last.position)
            let rows = try await connection.query(statement.sql, statement.parameters)
            // Somebody else has folded, or holds the checkpoint.
            guard let moved = rows.first else { return nil }
            let after = try HotSnapshots.Mark(moved)
            memory.keep(outcome, of: tenant, before: before, after: after)
            return batch.events.count
        }
    }
}

extension Statement {
    /// Moves a checkpoint and writes what comes with it, if the checkpoint is as it was and nobody
    /// holds it; else there is no row, and nothing was written.
    ///
    /// It commits without waiting for the disk: what a crash of Postgres takes back is in the log
    /// and is folded again, into the same. Who acts on a decision writes that down first, durably,
    /// and with it all that was before.
    static func fold(
        _ outcome: FoldOutcome, of tenant: TenantID, from mark: HotSnapshots.Mark,
        upTo position: Int64
    ) -> Statement {
        Statement(
            foldSQL,
            [
                .tenant(tenant), .int8(mark.position), .int4(mark.generation),
                .moment(mark.movedAt), .int8(position),
            ] + Snapshot.columns(of: outcome.snapshots) + Decision.columns(of: outcome.decisions))
    }

    private static let foldSQL = """
        WITH hurried AS MATERIALIZED (
            SELECT set_config('synchronous_commit', 'off', true)
        ), locked AS MATERIALIZED (
            SELECT c.tenant FROM projection_checkpoint c, hurried
            WHERE c.tenant = $1 AND c.position = $2 AND c.generation = $3 AND c.moved_at = $4
            FOR UPDATE OF c SKIP LOCKED
        ), moved AS (
            UPDATE projection_checkpoint c SET position = $5, moved_at = clock_timestamp()
            FROM locked l WHERE c.tenant = l.tenant
            RETURNING c.tenant, c.position, c.generation, c.moved_at
        ), snapshots AS (
            INSERT INTO snapshot (tenant, generation, \(Snapshot.columns))
            SELECT m.tenant, m.generation, i.*
            FROM moved m, \(Snapshot.unnested(from: 6)) AS i
            \(Snapshot.replaceStored)
        ), decisions AS (
            INSERT INTO decision (tenant, \(Decision.columns))
            SELECT m.tenant, i.*
            FROM moved m, \(Decision.unnested(from: 6 + Snapshot.columnCount)) AS i
        )
        SELECT * FROM moved
        """
}
