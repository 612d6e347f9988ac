import Domain
import EventStore

/// What this node knows without asking, for the next fold, for readers of changes
/// and for the sender.
struct FoldingCaches {
    let snapshots = SnapshotCache()
    let changes: ChangeBuffer
    let policies: StoredPolicyCache
    let events: EventBuffer
    let claimHints: ClaimHints

    /// To be called after the commit.
    func keep(
        _ result: FoldResult, of tenant: TenantID, before: SnapshotCache.Checkpoint,
        after: SnapshotCache.Checkpoint
    ) {
        claimHints.note(result.decisions, of: tenant)
        snapshots.keep(result.snapshots, of: tenant, before: before, after: after)
        changes.note(result, of: tenant, before: before, after: after)
    }
}
