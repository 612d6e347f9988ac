public import Domain

// Stores that leave everything to another one, but for what they override.

public protocol ForwardingEventLog: EventLog {
    var base: any EventLog { get }
}

extension ForwardingEventLog {
    public func append(_ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool)
        async throws(EventStoreError) -> [AppendResult]
    { try await base.append(tenant, events, isAtomic: isAtomic) }

    public func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        try await base.select(tenant, filter, positions, limit)
    }

    public func readActivity(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        try await base.readActivity(tenant, activity, after, limit)
    }

    public func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await base.head(tenant)
    }
}

public protocol ForwardingProjectionStore: ProjectionStore {
    var base: any ProjectionStore { get }
}

extension ForwardingProjectionStore {
    public func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async throws(EventStoreError) -> FoldedBatch? {
        try await base.foldNext(tenant, limit, fold)
    }

    public func snapshot(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Snapshot?
    { try await base.snapshot(tenant, activity) }

    public func changes(
        _ tenant: TenantID, after place: ActivityChange.Place, _ limit: Int, isFollowing: Bool
    ) async throws(EventStoreError) -> ActivityChanges {
        try await base.changes(tenant, after: place, limit, isFollowing: isFollowing)
    }

    public func decided(_ tenant: TenantID, _ snapshots: [Snapshot]) async throws(EventStoreError)
        -> [ActivityID: LedgerRow]
    { try await base.decided(tenant, snapshots) }

    public func decisions(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [LedgerRow]
    { try await base.decisions(tenant, activity, after, limit) }

    public func checkpoint(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await base.checkpoint(tenant)
    }
}

public protocol ForwardingDeliveryStore: DeliveryStore {
    var base: any DeliveryStore { get }
}

extension ForwardingDeliveryStore {
    public func claimNext(_ limit: Int, _ scope: ClaimScope, _ now: Moment?)
        async throws(EventStoreError) -> [DeliveryClaim]
    { try await base.claimNext(limit, scope, now) }

    public func isCurrent(_ claim: DeliveryClaim) -> Bool { base.isCurrent(claim) }

    public func page(
        _ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [Registration] {
        try await base.page(claim, onlyOwed, now, after, limit)
    }

    public func renew(_ claim: DeliveryClaim, _ now: Moment?) async throws(EventStoreError)
        -> DeliveryClaim?
    { try await base.renew(claim, now) }

    public func record(_ claim: DeliveryClaim, _ results: [PhoneResult])
        async throws(EventStoreError)
    { try await base.record(claim, results) }

    public func complete(_ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome)
        async throws(EventStoreError)
    { try await base.complete(claim, outcome) }

    public func release(_ claim: DeliveryClaim) async { await base.release(claim) }

    public func nextDue() async throws(EventStoreError) -> Moment? { try await base.nextDue() }

    public func time() async throws(EventStoreError) -> Moment { try await base.time() }
}
