import Domain
import EventStore
import Postgres

/// Moving one tenant's checkpoint: lock, read, fold, write, commit. `Folding+Buffered` folds
/// from memory instead.
enum Folding {
    enum End {
        case folded(FoldedBatch)
        /// No tenant has events that nobody folds.
        case nothing
        /// A newer version of the program folds this log.
        case needsNewerProgram
    }

    /// - Parameter tenant: nil for the one that has waited longest.
    static func next(
        _ pool: Pool, _ caches: FoldingCaches, of tenant: TenantID?, limit: Int,
        _ fold: (FoldBatch) -> FoldResult
    ) async throws(PostgresError) -> End {
        try await pool.withConnection { (connection) async throws(PostgresError) in
            // Nil when another projector had moved the checkpoint: try once more. If none had,
            // `log_head` is ahead of the last event, and `replay verify` says so.
            for _ in 0..<2 {
                if let end = try await attempt(
                    connection, caches, of: tenant, limit: limit, fold)
                {
                    return end
                }
            }
            return .nothing
        }
    }

    private static func attempt(
        _ connection: Connection, _ caches: FoldingCaches, of tenant: TenantID?, limit: Int,
        _ fold: (FoldBatch) -> FoldResult
    ) async throws(PostgresError) -> End? {
        // A saved round trip is a sooner push: the transaction begins with the first
        // statement and ends with the last. The pool closes a connection that comes back in
        // the middle of it.
        let rows = try await connection.batch([
            Statement("BEGIN"), lockAndRead(tenant, limit),
        ])[1]
        // Even without events there is one row, when the checkpoint moved on between the
        // statement's look at the log and its getting the lock.
        let firstOfEvent = LockedCheckpoint.columnCount
        guard let row = rows.first, !row.isNull(firstOfEvent) else {
            try await connection.script("ROLLBACK")
            return rows.isEmpty ? .nothing : nil
        }
        let locked = try LockedCheckpoint(row)
        let (tenant, before) = (locked.tenant, locked.checkpoint)
        var batch = FoldBatch(tenant: tenant, events: [], snapshots: [:])
        batch.events = try await offLoopIfMany(rows.count) { () throws(PostgresError) in
            try rows.map { (row) throws(PostgresError) in
                try RecordedEvent(row, from: firstOfEvent)
            }
        }
        try await loadSnapshotsAndPolicies(
            into: &batch, connection, before, policyRevision: locked.policyRevision, caches)
        var folded = await apply(fold, to: batch)
        if !folded.result.wantsHistory.isEmpty {
            batch.histories = try await histories(
                connection, of: folded.result.wantsHistory, tenant, before)
            try await readPolicies(
                &batch, connection, policyRevision: locked.policyRevision, caches)
            folded = await apply(fold, to: batch)
        }
        guard !folded.result.needsNewerProgram else {
            try await connection.script("ROLLBACK")
            return .needsNewerProgram
        }
        let after = try await write(connection, folded, before)
        caches.keep(folded.result, of: tenant, before: before, after: after)
        return .folded(folded)
    }

    /// Loads what the batch's events are folded into.
    static func loadSnapshotsAndPolicies(
        into batch: inout FoldBatch, _ connection: Connection,
        _ checkpoint: SnapshotCache.Checkpoint, policyRevision: Int, _ caches: FoldingCaches
    ) async throws(PostgresError) {
        batch.snapshots = try await snapshots(connection, batch, checkpoint, caches.snapshots)
        try await readPolicies(&batch, connection, policyRevision: policyRevision, caches)
    }

    /// Reads the policies in force for its events, and for the histories that it has by now.
    private static func readPolicies(
        _ batch: inout FoldBatch, _ connection: Connection, policyRevision: Int,
        _ caches: FoldingCaches
    ) async throws(PostgresError) {
        let stretches = [batch.events] + batch.histories.values
        batch.policies = try await caches.policies.read(
            connection, batch.tenant, policyRevision: policyRevision,
            since: stretches.compactMap { $0.first?.position }.min() ?? .max)
    }

    static func apply(
        _ fold: (FoldBatch) -> FoldResult, to batch: FoldBatch
    ) async -> FoldedBatch {
        let count = batch.histories.isEmpty ? batch.events.count : .max
        return await offLoopIfMany(count) { FoldedBatch(batch, fold) }
    }

    /// Works off the loop if there are many events, which would keep it from everybody else. A few
    /// are sooner done here than handed to another thread and back.
    private static func offLoopIfMany<Result, Failure: Error>(
        _ events: Int, _ work: () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard events > Limits.loopFoldEventsMax else { return try work() }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            () throws(Failure) in try work()
        }
    }

    private static func snapshots(
        _ connection: Connection, _ batch: FoldBatch, _ checkpoint: SnapshotCache.Checkpoint,
        _ cache: SnapshotCache
    ) async throws(PostgresError) -> [ActivityID: Snapshot] {
        let activities = Set(batch.events.map(\.event.activityID))
        var snapshots = cache.find(activities, of: batch.tenant, at: checkpoint)
        // An activity that begins in the batch has none yet.
        let begun = Set(batch.events.lazy.filter { $0.version == 1 }.map(\.event.activityID))
        let missing = activities.filter { snapshots[$0] == nil && !begun.contains($0) }
        guard !missing.isEmpty else { return snapshots }
        let rows = try await connection.query(
            Snapshot.several,
            [
                .tenant(batch.tenant), .int4(checkpoint.generation),
                .texts(missing.map(\.rawValue).sorted()),
            ])
        for row in rows {
            let snapshot = try Snapshot(row)
            snapshots[snapshot.activityID] = snapshot
        }
        return snapshots
    }

    private static func histories(
        _ connection: Connection, of activities: Set<ActivityID>, _ tenant: TenantID,
        _ checkpoint: SnapshotCache.Checkpoint
    ) async throws(PostgresError) -> [ActivityID: [RecordedEvent]] {
        let events = try await connection.query(
            readHistories,
            [
                .tenant(tenant), .int8(checkpoint.position), .texts(activities.map(\.rawValue)),
                .int4(checkpoint.generation),
            ]
        ).decoded(RecordedEvent.init)
        return Dictionary(grouping: events, by: \.event.activityID)
    }

    /// Writes the result and commits.
    private static func write(
        _ connection: Connection, _ folded: FoldedBatch, _ checkpoint: SnapshotCache.Checkpoint
    ) async throws(PostgresError) -> SnapshotCache.Checkpoint {
        let (result, tenant) = (folded.result, folded.batch.tenant)
        let position = folded.batch.events[folded.count - 1].position
        let fold = await offLoopIfMany(result.decisions.count) {
            Statement.writeFold(result, of: tenant, from: checkpoint, upTo: position)
        }
        var statements = [fold]
        if !result.parked.isEmpty {
            statements.append(.write(result.parked, tenant, checkpoint.generation))
        }
        let blocking = result.blocking
        if !blocking.isEmpty { statements.append(.writeNotices(blocking, tenant)) }
        statements.append(Statement("COMMIT"))
        guard let moved = try await connection.batch(statements)[0].first else {
            throw .decoding(column: "moved_at", expected: "the checkpoint that was locked")
        }
        return try SnapshotCache.Checkpoint(moved, from: 1)
    }

    private static func lockAndRead(_ tenant: TenantID?, _ limit: Int) -> Statement {
        guard let tenant else { return Statement(lockAndRead(where: ""), [.count(limit)]) }
        return Statement(lockAndRead(where: "AND c.tenant = $2"), [.count(limit), .tenant(tenant)])
    }

    /// The tenant that has waited longest, with its next events; the lock goes with the transaction
    /// or the connection.
    private static func lockAndRead(where condition: String) -> String {
        """
        WITH locked AS MATERIALIZED (
            SELECT c.tenant, c.position, c.generation, c.moved_at, h.policy_epoch
            FROM projection_checkpoint c JOIN log_head h ON h.tenant = c.tenant
            WHERE c.position < h.position AND \(ClosedTenants.leftOut(by: "c.tenant")) \(condition)
            ORDER BY c.moved_at, c.tenant LIMIT 1
            FOR UPDATE OF c SKIP LOCKED
        )
        SELECT l.tenant, l.position, l.generation, l.moved_at, l.policy_epoch, e.*
        FROM locked l LEFT JOIN LATERAL (
            SELECT \(RecordedEvent.columns) FROM event
            WHERE tenant = l.tenant AND position > l.position
            ORDER BY position LIMIT $1
        ) e ON true
        ORDER BY e.position
        """
    }

    /// Reads histories without what is parked, skipped or not.
    private static let readHistories = """
        SELECT \(RecordedEvent.columns) FROM event e
        WHERE tenant = $1 AND position <= $2 AND activity_id = ANY ($3::text[])
            AND NOT EXISTS (
                SELECT FROM parked_event p
                WHERE p.tenant = $1 AND p.generation = $4 AND p.position = e.position
            )
        ORDER BY position
        """
}

/// What each row of `lockAndRead` begins with.
private struct LockedCheckpoint: RowDecodable {
    static let columnCount = 5

    let tenant: TenantID
    let checkpoint: SnapshotCache.Checkpoint
    let policyRevision: Int

    init(from row: inout RowReader) throws(PostgresError) {
        tenant = try row.tenant()
        checkpoint = try SnapshotCache.Checkpoint(from: &row)
        policyRevision = Int(try row.get(as: Int32.self))
    }
}

extension SnapshotCache.Checkpoint: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(
            position: row.get(), generation: row.get(), movedAt: row.moment())
    }
}
