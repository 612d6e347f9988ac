import Domain
import EventStore
import Postgres

/// The short way, for what this node has recorded itself and nobody has folded yet: nothing is
/// read, and one statement writes and commits.
extension Folding {
    /// - Returns: how many events were folded; nil when that takes a look at the log.
    static func foldBuffered(
        _ dedicated: DedicatedConnection, _ caches: FoldingCaches, _ tenant: TenantID, limit: Int,
        _ fold: (FoldBatch) -> FoldResult
    ) async throws(PostgresError) -> Int? {
        // First of all: a new one may lead to another server, after whose taking over the events
        // in memory may no longer be in the log.
        let connection = try await dedicated.session { caches.events.forget() }
        let checkpoint = caches.snapshots.checkpoint(of: tenant)
        guard
            let stretch = caches.events.take(of: tenant, after: checkpoint?.position, limit: limit),
            let before = checkpoint, let last = stretch.events.last
        else { return nil }
        var batch = FoldBatch(tenant: tenant, events: stretch.events, snapshots: [:])
        // Read without a lock: whether it is still true is found out by the commit.
        try await loadSnapshotsAndPolicies(
            into: &batch, connection, before, policyRevision: stretch.policyRevision, caches)
        let result = await folded(batch, fold)
        guard result.isWhole else { return nil }
        let statement = Statement.foldRows(result, of: tenant, from: before, upTo: last.position)
        // Without a row somebody else has folded.
        guard let moved = try await connection.query(statement.sql, statement.parameters).first
        else { return nil }
        let after = try SnapshotCache.Checkpoint(moved, from: 1)
        caches.keep(result, of: tenant, before: before, after: after)
        return stretch.events.count
    }
}

extension FoldResult {
    /// Snapshots and decisions of all events are all there is to it.
    var isWhole: Bool {
        !needsNewerProgram && wantsHistory.isEmpty && parked.isEmpty && foldedCount == nil
    }
}

extension Statement {
    /// A session for `foldRows`. It does not wait when somebody locks a checkpoint for longer: the
    /// tenants behind it would wait too.
    static let foldSession = """
        \(fewRowsSettings); SET synchronous_commit = off;
        SET lock_timeout = \(Limits.foldLockMillisMax)
        """

    /// As `fold`, for few changes and a session that begins with `foldSession`: each number of them
    /// has a statement of its own. Arrays for a single row take a quarter as long again: Postgres
    /// reads each of them, and puts the rows together in memory first.
    static func foldRows(
        _ result: FoldResult, of tenant: TenantID, from checkpoint: SnapshotCache.Checkpoint,
        upTo position: Int64
    ) -> Statement {
        let (snapshots, decisions) = (result.snapshots, result.decisions)
        guard snapshots.count == decisions.count, let sql = foldingRows[snapshots.count] else {
            return fold(result, of: tenant, from: checkpoint, upTo: position)
        }
        return Statement(
            sql,
            moving(tenant, checkpoint, position) + snapshots.flatMap(Snapshot.list.row)
                + decisions.flatMap(Decision.list.row))
    }

    /// Moves a checkpoint and writes what comes with it, if the checkpoint is as it was and nobody
    /// has locked it; else there is no row, and nothing was written.
    ///
    /// It commits without waiting for the disk: what a crash of Postgres takes back is in the log
    /// and is folded again, into the same. Who acts on a decision writes that down first, durably,
    /// and with it all that was before.
    static func fold(
        _ result: FoldResult, of tenant: TenantID, from checkpoint: SnapshotCache.Checkpoint,
        upTo position: Int64
    ) -> Statement {
        Statement(
            foldingArrays,
            moving(tenant, checkpoint, position) + Snapshot.list.arrays(result.snapshots)
                + Decision.list.arrays(result.decisions))
    }

    private static func moving(
        _ tenant: TenantID, _ checkpoint: SnapshotCache.Checkpoint, _ position: Int64
    ) -> [Parameter] {
        [
            .tenant(tenant), .int8(checkpoint.position), .int4(checkpoint.generation),
            .moment(checkpoint.movedAt),
            .int8(position),
        ]
    }

    /// By how many activities change, one decision each.
    private static let foldingRows: [Int: String] = Dictionary(
        uniqueKeysWithValues: (1...Limits.foldedRowsMax).map { count in
            let decisions = Decision.list.values(count, from: 6 + count * Snapshot.list.count)
            return (count, folding(moved(), Snapshot.list.values(count, from: 6), decisions))
        })

    private static let foldingArrays = folding(
        """
        async_commit AS MATERIALIZED (
            SELECT set_config('synchronous_commit', 'off', true)
        ), \(moved(after: ", async_commit"))
        """, Snapshot.list.unnested(from: 6),
        Decision.list.unnested(from: 6 + Snapshot.list.count))

    /// One that somebody else has locked is not waited for: that they were quicker is no error.
    /// - Parameter settings: the part of the statement that makes them, where the session has not.
    private static func moved(after settings: String = "") -> String {
        """
        locked AS MATERIALIZED (
            SELECT c.tenant FROM projection_checkpoint c\(settings)
            WHERE c.tenant = $1 AND c.position = $2 AND c.generation = $3 AND c.moved_at = $4
            FOR UPDATE OF c SKIP LOCKED
        ), moved AS (
            UPDATE projection_checkpoint c SET position = $5, moved_at = clock_timestamp()
            FROM locked l WHERE c.tenant = l.tenant
            RETURNING c.tenant, c.position, c.generation, c.moved_at
        )
        """
    }

    private static func folding(
        _ moved: String, _ snapshots: String, _ decisions: String
    ) -> String {
        """
        WITH \(moved), snapshots AS (
            INSERT INTO snapshot (tenant, generation, \(Snapshot.list.names))
            SELECT m.tenant, m.generation, i.*
            FROM moved m, \(snapshots) AS i
            \(Snapshot.replaceStored)
        ), \(writing("SELECT m.tenant, i.* FROM moved m, \(decisions) AS i"))
        SELECT * FROM moved
        """
    }
}
