import Domain
import Postgres

/// Moving one tenant's checkpoint: lock, read, fold, write, commit.
enum Folding {
    nonisolated(nonsending) static func next(
        _ pool: Pool, _ hot: HotSnapshots, limit: Int, _ fold: (FoldBatch) -> FoldOutcome
    ) async throws(PostgresError) -> Int {
        let folded = try await pool.withTransaction {
            (connection) async throws(PostgresError) -> Folded? in
            guard let checkpoint = try await connection.query(lockCheckpoint).first else {
                return nil
            }
            let tenant = try checkpoint.tenant(0)
            let before = try HotSnapshots.Mark(checkpoint)
            let batch = try await read(connection, tenant, before, hot, limit: limit)
            guard let last = batch.events.last else { return nil }
            let outcome = fold(batch)
            let after = try await write(
                connection, outcome, tenant, before, upTo: last.position)
            return Folded(
                events: batch.events.count, snapshots: outcome.snapshots, tenant: tenant,
                before: before, after: after)
        }
        guard let folded else { return 0 }
        // Not before the commit.
        hot.keep(folded.snapshots, of: folded.tenant, before: folded.before, after: folded.after)
        return folded.events
    }

    private struct Folded {
        var events: Int
        var snapshots: [Snapshot]
        var tenant: TenantID
        var before: HotSnapshots.Mark
        var after: HotSnapshots.Mark
    }

    private nonisolated(nonsending) static func read(
        _ connection: Connection, _ tenant: TenantID, _ mark: HotSnapshots.Mark,
        _ hot: HotSnapshots, limit: Int
    ) async throws(PostgresError) -> FoldBatch {
        let events = try await connection.query(
            EventLog.readLog, [.tenant(tenant), .int8(mark.position), .count(limit)]
        ).decoded(RecordedEvent.init)
        let activities = Set(events.map(\.event.activityID))
        var snapshots = hot.find(activities, of: tenant, at: mark)
        let missing = activities.filter { snapshots[$0] == nil }
        if !missing.isEmpty {
            let rows = try await connection.query(
                readSnapshots,
                [
                    .tenant(tenant), .int4(mark.generation),
                    .texts(missing.map(\.rawValue).sorted()),
                ])
            for row in rows {
                let snapshot = try Snapshot(row)
                snapshots[snapshot.activityID] = snapshot
            }
        }
        return FoldBatch(tenant: tenant, events: events, snapshots: snapshots)
    }

    private nonisolated(nonsending) static func write(
        _ connection: Connection, _ outcome: FoldOutcome, _ tenant: TenantID,
        _ mark: HotSnapshots.Mark, upTo position: Int64
    ) async throws(PostgresError) -> HotSnapshots.Mark {
        let generation = mark.generation
        var statements = [
            Statement(
                """
                UPDATE projection_checkpoint SET position = $2, moved_at = clock_timestamp()
                WHERE tenant = $1
                RETURNING tenant, position, generation, moved_at
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
        guard let moved = try await connection.batch(statements)[0].first else {
            throw .decoding(column: "moved_at", expected: "the checkpoint that was locked")
        }
        return try HotSnapshots.Mark(moved)
    }

    /// The tenant that has waited longest; the lock goes with the transaction or the connection.
    private static let lockCheckpoint = """
        SELECT c.tenant, c.position, c.generation, c.moved_at
        FROM projection_checkpoint c JOIN log_head h ON h.tenant = c.tenant
        WHERE c.position < h.position
        ORDER BY c.moved_at, c.tenant LIMIT 1
        FOR UPDATE OF c SKIP LOCKED
        """

    private static let readSnapshots = """
        SELECT \(Snapshot.columns) FROM snapshot
        WHERE tenant = $1 AND generation = $2 AND activity_id = ANY ($3::text[])
        """
}

extension HotSnapshots.Mark {
    /// Of a row that begins with the tenant.
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(
            position: try row.get(1), generation: try row.get(2), movedAt: try row.moment(3))
    }
}
