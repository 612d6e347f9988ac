public import Domain
public import EventStore

/// An activity of a tenant's log in a database.
public struct StoredActivity: ActivityRecord {
    private let store: EventStore
    private let tenant: TenantID
    private let activity: ActivityID

    public init(_ store: EventStore, _ tenant: TenantID, _ activity: ActivityID) {
        self.store = store
        self.tenant = tenant
        self.activity = activity
    }

    public func end() async throws(EventStoreError) -> RecordEnd? {
        guard let snapshot = try await store.projections.snapshot(tenant, activity) else {
            let first = try await event(1)
            return first.map { (version: $0.version, hasEnded: false) }
        }
        let hasEnded = snapshot.phase == .ended
        guard snapshot.blockage != nil else { return (snapshot.version, hasEnded) }
        let cause = try await store.upkeep.parked(
            tenant, activity, isSkipped: false, snapshot.position - 1, 1)
        return (cause.first?.version ?? snapshot.version, hasEnded)
    }

    public func event(_ version: Int64) async throws(EventStoreError) -> RecordedEvent? {
        let events = try await store.log.readActivity(tenant, activity, version - 1, 1)
        return events.first { $0.version == version }
    }

    public func rows(
        after version: Int64, limit: Int
    ) async throws(EventStoreError) -> [LedgerRow] {
        try await store.projections.decisions(tenant, activity, version, limit)
    }

    public func parking(of event: RecordedEvent) async throws(EventStoreError) -> Parking? {
        let rows = try await store.upkeep.parked(
            tenant, activity, isSkipped: nil, event.position - 1, 1)
        guard let row = rows.first, row.event.position == event.position else { return nil }
        return row.isSkipped ? .skipped : .parked(row.event.reason)
    }

    /// What later pushes brought to phones that those of some rows did not reach.
    public func later(
        than rows: some Collection<LedgerRow>
    ) async throws(EventStoreError) -> LaterPushes {
        guard rows.contains(where: { $0.outcome != nil }) else { return LaterPushes() }
        let behind = try await store.registrations.behind(tenant, activity)
        return try await LaterPushes.read(behind, about: rows, in: self)
    }

    public func deliverySituation(
        of row: LedgerRow
    ) async throws(EventStoreError) -> DeliverySituation? {
        var found = DeliverySituation()
        found.later = try await later(than: [row])
        if row.decision.verdict.pushes {
            found.cards = try await store.registrations.tally(
                tenant, activity, try await beginning(of: row))
        }
        found.deferred = try await store.apps.deferredBy(tenant, activity)
        found.audience = try await store.startTokens.audience(tenant, activity)
        return found
    }

    /// A moment before a push began to go out, after which it may have lost phones itself: those
    /// are in its outcome, as are phones that had it before their cards were closed. Nobody wrote
    /// down when it began, so this is when the newest decision was made that it carried. One that
    /// went to nobody lost nobody: it counts when it was due.
    /// - Returns: nil for now.
    private func beginning(of row: LedgerRow) async throws(EventStoreError) -> Moment? {
        guard let outcome = row.outcome else { return nil }
        guard outcome.phones > 0 else { return outcome.completedAt }
        guard outcome.carriedBy != row.decision.version else { return row.decision.decidedAt }
        let carrier = try await rows(after: outcome.carriedBy - 1, limit: 1)
            .first { $0.decision.version == outcome.carriedBy }
        return (carrier ?? row).decision.decidedAt
    }
}
