import Domain
import EventStore
import Postgres

/// Folding from memory what this node has recorded itself and nobody has folded yet: no event is
/// read, and one statement writes and commits.
extension Folding {
    /// - Returns: what was committed; nil when that takes a look at the log.
    static func foldBuffered(
        _ dedicated: DedicatedConnection, _ caches: FoldingCaches, _ tenant: TenantID, limit: Int,
        _ fold: (FoldBatch) -> FoldResult
    ) async throws(PostgresError) -> FoldedBatch? {
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
        let folded = await apply(fold, to: batch)
        guard folded.result.isWhole else { return nil }
        let statement = Statement.writeFoldAsRows(
            folded.result, of: tenant, from: before, upTo: last.position)
        // Without a row somebody else has folded.
        guard let moved = try await connection.query(statement.sql, statement.parameters).first
        else { return nil }
        let after = try SnapshotCache.Checkpoint(moved, from: 1)
        caches.keep(folded.result, of: tenant, before: before, after: after)
        return folded
    }
}

extension FoldResult {
    /// Snapshots and decisions of all events are all there is to it.
    var isWhole: Bool {
        !needsNewerProgram && wantsHistory.isEmpty && parked.isEmpty && foldedCount == nil
    }
}
