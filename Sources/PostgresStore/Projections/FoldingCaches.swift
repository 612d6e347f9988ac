import Domain
import EventStore

/// What this node knows without asking, for the next fold and for those who follow.
struct FoldingCaches {
    let snapshots = SnapshotCache()
    let changes: ChangeBuffer
    let policies: PolicyCache
    let events: EventBuffer
    let decisions: DecisionBuffer

    /// To be called after the commit.
    func keep(
        _ result: FoldResult, of tenant: TenantID, before: SnapshotCache.Checkpoint,
        after: SnapshotCache.Checkpoint
    ) {
        decisions.note(result.decisions, of: tenant)
        snapshots.keep(result.snapshots, of: tenant, before: before, after: after)
        changes.note(result, of: tenant, before: before, after: after)
    }
}
