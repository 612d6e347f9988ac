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
        var snapshots = AgingCache<ActivityID, Snapshot>(halfMax: Limits.hotSnapshotsMax)
    }

    private struct State {
        var tenants: [TenantID: Tenant] = [:]
        /// Bytes of the snapshots that were added, of all tenants, since all of them aged.
        var addedBytes = 0

        mutating func age() {
            addedBytes = 0
            for index in tenants.values.indices { tenants.values[index].snapshots.age() }
        }
    }

    private let state = Lock(State())
    private let bytesMax: Int

    /// - Parameter bytesMax: of all tenants, in both halves.
    init(bytesMax: Int = Limits.hotSnapshotBytesMax) { self.bytesMax = bytesMax }

    /// The activities' snapshots that are known; none when the checkpoint is another.
    func find(
        _ activities: Set<ActivityID>, of tenant: TenantID, at checkpoint: Checkpoint
    ) -> [ActivityID: Snapshot] {
        state.withLock { state in
            guard let hot = state.tenants[tenant], hot.checkpoint == checkpoint else { return [:] }
            var found: [ActivityID: Snapshot] = [:]
            for activity in activities { found[activity] = hot.snapshots[activity] }
            return found
        }
    }

    /// What the checkpoint was like after this node's last commit; nil when it is not known.
    func checkpoint(of tenant: TenantID) -> Checkpoint? {
        state.withLock { $0.tenants[tenant]?.checkpoint }
    }

    /// Keeps what is stored after a commit.
    /// - Parameter before: the checkpoint until then; what was known by another is forgotten.
    func keep(
        _ snapshots: [Snapshot], of tenant: TenantID, before: Checkpoint, after: Checkpoint
    ) {
        state.withLock { state in
            var hot = state.tenants.removeValue(forKey: tenant) ?? Tenant(checkpoint: before)
            if hot.checkpoint != before { hot = Tenant(checkpoint: before) }
            hot.checkpoint = after
            for snapshot in snapshots {
                let replaced = hot.snapshots.set(snapshot.activityID, snapshot)
                state.addedBytes += snapshot.memoryBytes - (replaced?.memoryBytes ?? 0)
            }
            if state.tenants.count >= Limits.foldedTenantsMax {
                state.tenants.removeAll(keepingCapacity: true)
            }
            state.tenants[tenant] = hot
            if state.addedBytes >= bytesMax / 2 { state.age() }
        }
    }
}

extension Snapshot {
    /// What it takes in memory, about: what was read of its states takes as much as they do.
    var memoryBytes: Int {
        let texts = 2 * (state.count + dispatch.count) + attributes.count + contentState.count
        return Limits.memoryBytesMin + texts
    }
}
