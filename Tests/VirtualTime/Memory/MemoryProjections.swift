import Domain
import EventStore
import TestSupport

struct MemoryProjectionStore: ProjectionStore {
    let session: MemorySession

    /// Two transactions' worth of time, of which the first locks the checkpoint: a node that looks
    /// meanwhile passes the tenant over, and nothing is written if the node dies.
    func foldNext(_ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult)
        async throws(EventStoreError) -> FoldedBatch?
    {
        try await session.gate(.before)
        let read = try session.transact { (tables, _) in
            tables.lockForFolding(tenant, by: session.node, limit)
        }
        guard var batch = read, !batch.events.isEmpty else { return nil }
        var isWritten = false
        defer {
            if !isWritten {
                _ = try? session.transact { (tables, _) in
                    guard tables[batch.tenant].foldedBy == session.node else { return }
                    tables[batch.tenant].foldedBy = nil
                }
            }
        }
        var folded = FoldedBatch(batch, fold)
        if !folded.result.wantsHistory.isEmpty {
            batch.histories = try session.transact { [batch, folded] (tables, _) in
                tables[batch.tenant].histories(of: folded.result.wantsHistory)
            }
            folded = FoldedBatch(batch, fold)
        }
        guard !folded.result.needsNewerProgram else {
            throw .oldProgram
        }
        try await session.gate(.before)
        try session.transact { [folded] (tables, now) throws(EventStoreError) in
            let end = folded.batch.events[folded.count - 1].position
            try tables[folded.batch.tenant].store(folded.result, upTo: end, at: now, session)
        }
        isWritten = true
        try await session.gate(.after)
        return folded
    }

    func snapshot(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Snapshot?
    { try await session.statement { (tables, _) in tables[tenant, activity].snapshot } }

    func changes(_: TenantID, after _: ActivityChange.Place, _: Int, isFollowing _: Bool)
        throws(EventStoreError) -> ActivityChanges
    { throw .notInMemory }

    func decided(_: TenantID, _: [Snapshot]) throws(EventStoreError) -> [ActivityID: LedgerRow] {
        throw .notInMemory
    }

    func decisions(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [LedgerRow]
    {
        try await session.statement { (tables, _) in
            let rows = tables[tenant, activity].ledger
            return Array(rows.drop { $0.decision.version <= after }.prefix(limit))
        }
    }

    func checkpoint(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await session.statement { (tables, _) in tables[tenant].checkpoint }
    }
}

extension EventStoreError {
    /// What no chain of events asks for.
    static let notInMemory = EventStoreError.schema(detail: "this is not kept in memory")
}

extension MemoryTables {
    /// The tenant that has waited longest and that nobody folds, with its next events.
    fileprivate mutating func lockForFolding(
        _ tenant: TenantID?, by node: Int, _ limit: Int
    ) -> FoldBatch? {
        let waiting = tenants.filter {
            $0.checkpoint < $0.head && $0.foldedBy == nil
                && (tenant == nil || $0.tenant.id == tenant)
        }
        let next = waiting.min { ($0.movedAt, $0.tenant.id) < ($1.movedAt, $1.tenant.id) }
        guard let next else { return nil }
        self[next.tenant.id].foldedBy = node
        let events = Array(next.events.dropFirst(Int(next.checkpoint)).prefix(limit))
        var snapshots: [ActivityID: Snapshot] = [:]
        for activity in Set(events.map(\.event.activityID)) {
            snapshots[activity] = next.activities[activity]?.activity.snapshot
        }
        return FoldBatch(
            tenant: next.tenant.id, events: events, snapshots: snapshots,
            policies: TenantPolicies(next.policies.inOrder))
    }
}

extension MemoryTenant {
    fileprivate func histories(of wanted: Set<ActivityID>) -> [ActivityID: [RecordedEvent]] {
        let parked = Set(parked.map(\.position))
        return Dictionary(
            uniqueKeysWithValues: wanted.map { activity in
                let folded = stream(activity).filter {
                    $0.position <= checkpoint && !parked.contains($0.position)
                }
                return (activity, folded)
            })
    }

    /// Snapshots, decisions and the checkpoint, together.
    fileprivate mutating func store(
        _ result: FoldResult, upTo position: Int64, at now: Moment, _ session: MemorySession
    ) throws(EventStoreError) {
        guard foldedBy == session.node || session.database.flaw == .unlockedFolds else {
            throw .unavailable(detail: "the connection to the database broke")
        }
        for snapshot in result.snapshots {
            activities[snapshot.activityID, default: IndexedActivity()].activity.snapshot =
                snapshot.stored
        }
        for decision in result.decisions {
            activities[decision.activityID, default: IndexedActivity()].activity.add(decision)
        }
        parked += result.parked
        checkpoint = position
        movedAt = max(now, movedAt)
        foldedBy = nil
    }
}

extension Snapshot {
    /// As it comes back from a database: JSON, and nothing of what it was written from.
    fileprivate var stored: Snapshot {
        var snapshot = self
        (snapshot.decodedState, snapshot.decodedDispatch) = (DecodedValue(), DecodedValue())
        return snapshot
    }
}

struct MemoryClockStore: ClockStore {
    let session: MemorySession

    func due(_ now: Moment, _ after: DueActivity.Place?, _ limit: Int) async throws(EventStoreError)
        -> [DueActivity]
    {
        try await session.statement { (tables, clock) in
            let due = tables.awaited(clock).filter { place in
                place.dueAt <= now && after.map { place.comes(after: $0) } ?? true
            }
            return due.sorted { $1.comes(after: $0) }.prefix(limit)
                .compactMap(tables.dueActivity)
        }
    }

    func nextDue(_ now: Moment) async throws(EventStoreError) -> Moment? {
        try await session.statement { (tables, clock) in
            tables.awaited(clock).lazy.map(\.dueAt).filter { $0 > now }.min()
        }
    }

    func correct(_ activities: [DueActivity]) async throws(EventStoreError) {
        try await session.statement { (tables, _) in
            for (place, snapshot) in activities.map({ ($0.place, $0.snapshot) }) {
                let stored = tables[place.tenant, place.activityID].snapshot
                guard stored?.version == snapshot.version else { continue }
                tables[place.tenant, place.activityID].snapshot?.dueAt = snapshot.dueAt
            }
        }
    }

    func time() async throws(EventStoreError) -> Moment {
        try await session.statement { (_, now) in now }
    }
}

extension MemoryTables {
    /// Activities with a time to come and nothing to be folded, of tenants that are not catching
    /// up.
    fileprivate func awaited(_ clock: Moment) -> [DueActivity.Place] {
        let restSeconds = 60.0
        var places: [DueActivity.Place] = []
        for tenant in tenants {
            guard let head = tenant.events.last,
                tenant.movedAt.seconds(since: head.recordedAt) < restSeconds
                    || clock.seconds(since: tenant.movedAt) > restSeconds
            else { continue }
            for (id, indexed) in tenant.activities {
                guard let dueAt = indexed.index.clockDueAt,
                    tenant.last(of: id).map({ $0.position <= tenant.checkpoint }) ?? true
                else { continue }
                places.append(.init(dueAt: dueAt, tenant: tenant.tenant.id, activityID: id))
            }
        }
        return places
    }

    fileprivate func dueActivity(_ place: DueActivity.Place) -> DueActivity? {
        guard let snapshot = self[place.tenant, place.activityID].snapshot else { return nil }
        let last = self[place.tenant].last(of: place.activityID)
        return DueActivity(
            place: place, snapshot: snapshot, streamVersion: last?.version ?? snapshot.version)
    }
}

extension MemoryTenant {
    fileprivate func last(of activity: ActivityID) -> RecordedEvent? {
        streams[activity]?.last.map { events[$0] }
    }
}

extension DueActivity.Place {
    fileprivate func comes(after other: Self) -> Bool {
        (other.dueAt, other.tenant, other.activityID) < (dueAt, tenant, activityID)
    }
}
