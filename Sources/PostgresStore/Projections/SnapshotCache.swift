import Domain
import EventLoop
import EventStore

/// Snapshots that this node has just written, kept so that the next batch need not read them.
///
/// They are good only as long as nobody else has moved or touched the tenant's checkpoint since:
/// every change of a live snapshot does that, and the mark says so.
final class SnapshotCache: Sendable {
    /// What a checkpoint's row looked like.
    struct Mark: Hashable, Sendable {
        var position: Int64
        var generation: Int32
        var movedAt: Moment
    }

    private struct Tenant {
        var mark: Mark
        /// Two generations: what is not used while `newer` fills up once is forgotten.
        var newer: [ActivityID: Snapshot] = [:]
        var older: [ActivityID: Snapshot] = [:]
    }

    private let tenants = Lock([TenantID: Tenant]())
    private let snapshotsMax: Int

    init(snapshotsMax: Int = Limits.hotSnapshotsMax) {
        self.snapshotsMax = snapshotsMax
    }

    /// Those of the activities that are known; none when the mark is another.
    func find(
        _ activities: Set<ActivityID>, of tenant: TenantID, at mark: Mark
    ) -> [ActivityID: Snapshot] {
        tenants.withLock { tenants in
            guard let hot = tenants[tenant], hot.mark == mark else { return [:] }
            var found: [ActivityID: Snapshot] = [:]
            for activity in activities {
                found[activity] = hot.newer[activity] ?? hot.older[activity]
            }
            return found
        }
    }

    /// What the checkpoint was like after this node's last commit; nil when it is not known.
    func mark(of tenant: TenantID) -> Mark? { tenants.withLock { $0[tenant]?.mark } }

    /// What stands after a commit.
    /// - Parameter before: the mark until then; what was known by another is forgotten.
    func keep(
        _ snapshots: [Snapshot], of tenant: TenantID, before: Mark, after: Mark
    ) {
        tenants.withLock { tenants in
            var hot = tenants.removeValue(forKey: tenant) ?? Tenant(mark: before)
            if hot.mark != before { hot = Tenant(mark: before) }
            hot.mark = after
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
