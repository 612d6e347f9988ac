import Domain
import EventLoop
import EventStore

/// Snapshots that this node has just written, kept so that the next batch need not read them.
///
/// They are good only as long as nobody else has moved or touched the tenant's checkpoint since:
/// every change of a live snapshot does that, and the checkpoint says so.
final class SnapshotCache: Sendable {
    /// What a checkpoint's row looked like.
    struct Checkpoint: Hashable, Sendable {
        var position: Int64
        var generation: Int32
        var movedAt: Moment
    }

    private struct Tenant {
        var checkpoint: Checkpoint
        /// Two generations: what is not used while `newer` fills up once is forgotten.
        var newer: [ActivityID: Snapshot] = [:]
        var older: [ActivityID: Snapshot] = [:]
    }

    private let tenants = Lock([TenantID: Tenant]())
    private let snapshotsMax: Int

    init(snapshotsMax: Int = Limits.hotSnapshotsMax) {
        self.snapshotsMax = snapshotsMax
    }

    /// Those of the activities that are known; none when the checkpoint is another.
    func find(
        _ activities: Set<ActivityID>, of tenant: TenantID, at checkpoint: Checkpoint
    ) -> [ActivityID: Snapshot] {
        tenants.withLock { tenants in
            guard let hot = tenants[tenant], hot.checkpoint == checkpoint else { return [:] }
            var found: [ActivityID: Snapshot] = [:]
            for activity in activities {
                found[activity] = hot.newer[activity] ?? hot.older[activity]
            }
            return found
        }
    }

    /// What the checkpoint was like after this node's last commit; nil when it is not known.
    func checkpoint(of tenant: TenantID) -> Checkpoint? {
        tenants.withLock { $0[tenant]?.checkpoint }
    }

    /// What stands after a commit.
    /// - Parameter before: the checkpoint until then; what was known by another is forgotten.
    func keep(
        _ snapshots: [Snapshot], of tenant: TenantID, before: Checkpoint, after: Checkpoint
    ) {
        tenants.withLock { tenants in
            var hot = tenants.removeValue(forKey: tenant) ?? Tenant(checkpoint: before)
            if hot.checkpoint != before { hot = Tenant(checkpoint: before) }
            hot.checkpoint = after
            for snapshot in snapshots {
                if hot.newer.count >= snapshotsMax { (hot.newer, hot.older) = ([:], hot.newer) }
                hot.newer[snapshot.activityID] = snapshot
            }
            if tenants.count >= Limits.hotTenantsMax {
                tenants.removeAll(keepingCapacity: true)
            }
            tenants[tenant] = hot
        }
    }
}
