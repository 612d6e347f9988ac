import Domain
import EventLoop
import EventStore

/// What this node has just folded, for those who follow a tenant's changes.
///
/// It is kept as long as nobody else moves or touches the tenant's checkpoint: then there is
/// nothing to tell between two of its places that is not here. This node finds that out when it
/// folds next, and hears of it before that; while it does not listen, nothing is kept.
final class ChangeBuffer: Sendable {
    private struct Tenant {
        var checkpoint: SnapshotCache.Checkpoint
        /// Everything after this position is here.
        var start: Int64
        /// The changes by place; an activity is there as often as it has changed.
        var changes: [ActivityChange] = []
        /// The first so many were here when all tenants aged last, and go when they age again.
        var older = 0

        mutating func forget(_ count: Int) {
            guard count > 0 else { return }
            start = changes[count - 1].place.position
            changes.removeFirst(count)
            older = max(0, older - count)
        }

        mutating func age() {
            forget(older)
            older = changes.count
        }
    }

    private struct State {
        /// Since the first call of `after`.
        var isWanted = false
        /// Changes that others make are heard of.
        var isListening = false
        var tenants: [TenantID: Tenant] = [:]
        /// Bytes of the changes that were added, of all tenants, since all of them aged.
        var addedBytes = 0

        mutating func begin(_ tenant: TenantID, at checkpoint: SnapshotCache.Checkpoint) {
            if tenants[tenant] == nil, tenants.count >= Limits.foldedTenantsMax {
                tenants.removeAll(keepingCapacity: true)
            }
            tenants[tenant] = Tenant(checkpoint: checkpoint, start: checkpoint.position)
        }

        /// Readers want what is new.
        mutating func age() {
            addedBytes = 0
            for index in tenants.values.indices { tenants.values[index].age() }
        }
    }

    private let state = Lock(State())
    private let changesMax: Int
    private let bytesMax: Int

    /// - Parameters:
    ///   - changesMax: of one tenant.
    ///   - bytesMax: of all tenants.
    init(
        changesMax: Int = Limits.bufferedChangesMax, bytesMax: Int = Limits.bufferedChangeBytesMax
    ) {
        self.changesMax = changesMax
        self.bytesMax = bytesMax
    }

    /// Notes a batch that was folded and committed.
    func note(
        _ result: FoldResult, of tenant: TenantID, before: SnapshotCache.Checkpoint,
        after: SnapshotCache.Checkpoint
    ) {
        state.withLock { state in
            guard state.isWanted, state.isListening else { return }
            // What was parked has notices, which have places of their own.
            guard result.parked.isEmpty else {
                state.tenants[tenant] = nil
                return
            }
            // What was noticed at the end of a batch by others is not here either, so that the
            // first one only says where to begin.
            guard state.tenants[tenant]?.checkpoint == before,
                var kept = state.tenants.removeValue(forKey: tenant)
            else { return state.begin(tenant, at: after) }
            kept.checkpoint = after
            kept.changes += Self.changes(result)
            if kept.changes.count > changesMax {
                kept.forget(kept.changes.count - changesMax / 2)
            }
            state.tenants[tenant] = kept
            state.addedBytes += result.snapshots.reduce(0) { $0 + $1.memoryBytes }
            if state.addedBytes >= bytesMax / 2 { state.age() }
        }
    }

    /// Forgets what others may have erased.
    func hear(_ notification: StoreNotification) {
        state.withLock { state in
            switch notification {
            case .happened(.folded, let tenant): state.tenants[tenant] = nil
            case .resumed, .lost:
                state.tenants.removeAll(keepingCapacity: true)
                state.isListening = notification == .resumed
            case .happened: break
            }
        }
    }

    private static func changes(_ result: FoldResult) -> [ActivityChange] {
        let decisions = Dictionary(
            result.decisions.map { ($0.position, $0) }, uniquingKeysWith: { $1 })
        return result.snapshots.map { snapshot in
            ActivityChange(
                place: .init(position: snapshot.position), activityID: snapshot.activityID,
                snapshot: snapshot,
                decision: decisions[snapshot.position].map { LedgerRow(decision: $0, outcome: nil) }
            )
        }.sorted { $0.place < $1.place }
    }

    /// What changed after a place, an activity once, at its newest one. From the first call on,
    /// changes are kept.
    /// - Returns: nil when the database has to be asked: something may be missing here, or it is
    ///   more than `limit`, or nothing is newer, which may be otherwise there.
    func after(
        _ place: ActivityChange.Place, of tenant: TenantID, limit: Int
    ) -> ActivityChanges? {
        state.withLock { state in
            state.isWanted = true
            guard let kept = state.tenants[tenant], place.position >= kept.start else {
                return nil
            }
            var seen: Set<ActivityID> = []
            var newest: [ActivityChange] = []
            for change in kept.changes.reversed() {
                if change.place.position <= place.position { break }
                if seen.insert(change.activityID).inserted { newest.append(change) }
                if newest.count > limit { return nil }
            }
            guard !newest.isEmpty else { return nil }
            return ActivityChanges(newest.reversed(), generation: kept.checkpoint.generation)
        }
    }
}
