import Domain
import Postgres

/// Moving one tenant's checkpoint: lock, read, fold, write, commit.
enum Folding {
    nonisolated(nonsending) static func next(
        _ pool: Pool, limit: Int, _ fold: (FoldBatch) -> FoldOutcome
    ) async throws(PostgresError) -> Int {
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            guard let checkpoint = try await connection.query(lockCheckpoint).first else {
                return 0
            }
            let batch = try await read(
                connection, checkpoint.tenant(0), after: checkpoint.get(1), limit: limit)
            guard let last = batch.events.last else { return 0 }
            try await write(
                connection, fold(batch), batch.tenant, checkpoint.get(2), upTo: last.position)
            return batch.events.count
        }
    }

    private nonisolated(nonsending) static func read(
        _ connection: Connection, _ tenant: TenantID, after position: Int64, limit: Int
    ) async throws(PostgresError) -> FoldBatch {
        let place: [Parameter] = [.tenant(tenant), .int8(position), .count(limit)]
        let results = try await connection.batch([
            Statement(EventLog.readLog, place), Statement(readSnapshots, place),
        ])
        let snapshots = try results[1].decoded { (row) throws(PostgresError) in
            try Snapshot(row)
        }
        return FoldBatch(
            tenant: tenant, events: try results[0].decoded(RecordedEvent.init),
            snapshots: Dictionary(uniqueKeysWithValues: snapshots.map { ($0.activityID, $0) }))
    }

    private nonisolated(nonsending) static func write(
        _ connection: Connection, _ outcome: FoldOutcome, _ tenant: TenantID,
        _ generation: Int32, upTo position: Int64
    ) async throws(PostgresError) {
        var statements = [
            Statement(
                """
                UPDATE projection_checkpoint SET position = $2, moved_at = clock_timestamp()
                WHERE tenant = $1
                """, [.tenant(tenant), .int8(position)])
        ]
        if !outcome.snapshots.isEmpty {
            statements.append(.write(outcome.snapshots, tenant, generation))
        }
        if !outcome.decisions.isEmpty { statements.append(.write(outcome.decisions, tenant)) }
        if !outcome.parked.isEmpty {
            statements.append(.write(outcome.parked, tenant, generation))
        }
        statements.append(.notify(.folded(tenant)))
        _ = try await connection.batch(statements)
    }

    /// The tenant that has waited longest; the lock goes with the transaction or the connection.
    private static let lockCheckpoint = """
        SELECT c.tenant, c.position, c.generation
        FROM projection_checkpoint c JOIN log_head h ON h.tenant = c.tenant
        WHERE c.position < h.position
        ORDER BY c.moved_at, c.tenant LIMIT 1
        FOR UPDATE OF c SKIP LOCKED
        """

    /// Of the activities in the same stretch of the log. Events that arrive in between only add
    /// snapshots that nobody looks at.
    private static let readSnapshots = """
        SELECT \(Snapshot.columns) FROM snapshot
        WHERE tenant = $1 AND generation = live_generation($1) AND activity_id IN (
            SELECT activity_id FROM event WHERE tenant = $1 AND position > $2
            ORDER BY position LIMIT $3
        )
        """
}
