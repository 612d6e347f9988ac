import Domain
import EventStore
import Postgres

extension Statement {
    /// A session for `writeFoldAsRows`. It does not wait when somebody locks a checkpoint for
    /// longer: the tenants behind it would wait too.
    static let foldSession = """
        \(fewRowsSettings); SET synchronous_commit = off;
        SET lock_timeout = \(Limits.foldLockMillisMax)
        """

    /// As `writeFold`, for few changes and a session that begins with `foldSession`: there is one
    /// SQL text for each count of rows. Arrays for a single row take a quarter as long again:
    /// Postgres reads each of them, and puts the rows together in memory first.
    static func writeFoldAsRows(
        _ result: FoldResult, of tenant: TenantID, from checkpoint: SnapshotCache.Checkpoint,
        upTo position: Int64
    ) -> Statement {
        let (snapshots, decisions) = (result.snapshots, result.decisions)
        guard snapshots.count == decisions.count, let sql = sqlByRowCount[snapshots.count] else {
            return writeFold(result, of: tenant, from: checkpoint, upTo: position)
        }
        return Statement(
            sql,
            checkpointParameters(tenant, checkpoint, position)
                + snapshots.flatMap(Snapshot.list.row) + decisions.flatMap(Decision.list.row))
    }

    /// Moves a checkpoint and writes what comes with it, if the checkpoint is as it was and nobody
    /// has locked it; else there is no row, and nothing was written.
    ///
    /// It commits without waiting for the disk: what a crash of Postgres takes back is in the log
    /// and is folded again, into the same. A claim commits durably before a push leaves, and that
    /// flushes all earlier WAL too.
    static func writeFold(
        _ result: FoldResult, of tenant: TenantID, from checkpoint: SnapshotCache.Checkpoint,
        upTo position: Int64
    ) -> Statement {
        Statement(
            sqlWithArrays,
            checkpointParameters(tenant, checkpoint, position)
                + Snapshot.list.arrays(result.snapshots) + Decision.list.arrays(result.decisions))
    }

    private static func checkpointParameters(
        _ tenant: TenantID, _ checkpoint: SnapshotCache.Checkpoint, _ position: Int64
    ) -> [Parameter] {
        [
            .tenant(tenant), .int8(checkpoint.position), .int4(checkpoint.generation),
            .moment(checkpoint.movedAt), .int8(position),
        ]
    }

    /// By how many activities change, one decision each.
    private static let sqlByRowCount: [Int: String] = Dictionary(
        uniqueKeysWithValues: (1...Limits.foldedRowsMax).map { count in
            let decisions = Decision.list.values(count, from: 6 + count * Snapshot.list.count)
            return (
                count, foldSQL(moveCheckpoint(), Snapshot.list.values(count, from: 6), decisions)
            )
        })

    private static let sqlWithArrays = foldSQL(
        """
        async_commit AS MATERIALIZED (
            SELECT set_config('synchronous_commit', 'off', true)
        ), \(moveCheckpoint(after: ", async_commit"))
        """, Snapshot.list.unnested(from: 6),
        Decision.list.unnested(from: 6 + Snapshot.list.count))

    /// One that somebody else has locked is not waited for: that they were quicker is no error.
    /// - Parameter settings: the part of the statement that makes them, where the session has not.
    private static func moveCheckpoint(after settings: String = "") -> String {
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

    private static func foldSQL(
        _ move: String, _ snapshots: String, _ decisions: String
    ) -> String {
        """
        WITH \(move), snapshots AS (
            INSERT INTO snapshot (tenant, generation, \(Snapshot.list.names))
            SELECT m.tenant, m.generation, i.*
            FROM moved m, \(snapshots) AS i
            \(Snapshot.replaceStored)
        ), \(writing("SELECT m.tenant, i.* FROM moved m, \(decisions) AS i"))
        SELECT * FROM moved
        """
    }
}
