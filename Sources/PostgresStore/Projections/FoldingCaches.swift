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
        _ outcome: FoldOutcome, of tenant: TenantID, before: SnapshotCache.Checkpoint,
        after: SnapshotCache.Checkpoint
    ) {
        decisions.note(outcome.decisions, of: tenant)
        snapshots.keep(outcome.snapshots, of: tenant, before: before, after: after)
        changes.note(outcome, of: tenant, before: before, after: after)
    }
}
