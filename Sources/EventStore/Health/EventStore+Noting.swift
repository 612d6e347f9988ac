import Domain

extension EventStore {
    /// The same store; what becomes of the calls that a node lives by is noted.
    public func noting(in health: StoreHealth) -> EventStore {
        var store = self
        store.log = NotingLog(base: log, health: health)
        store.projections = NotingProjections(base: projections, health: health)
        store.deliveries = NotingDeliveries(base: deliveries, health: health)
        return store
    }
}

private struct NotingLog: ForwardingEventLog {
    let base: any EventLog
    let health: StoreHealth

    func append(
        _ tenant: TenantID, _ events: [NewEvent]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        try await health.noting(.append) { () async throws(EventStoreError) in
            try await base.append(tenant, events)
        }
    }

    func appendEach(
        _ tenant: TenantID, _ events: [NewEvent]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        try await health.noting(.append) { () async throws(EventStoreError) in
            try await base.appendEach(tenant, events)
        }
    }
}

private struct NotingProjections: ForwardingProjectionStore {
    let base: any ProjectionStore
    let health: StoreHealth

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldOutcome
    ) async throws(EventStoreError) -> Int {
        try await health.noting(.fold) { () async throws(EventStoreError) in
            try await base.foldNext(tenant, limit, fold)
        }
    }
}

private struct NotingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    let health: StoreHealth

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(EventStoreError) -> [DeliveryClaim] {
        // Where nothing was decided here, nothing is asked of the database either.
        guard scope == .all else { return try await base.claimNext(limit, scope, now) }
        return try await health.noting(.send) { () async throws(EventStoreError) in
            try await base.claimNext(limit, scope, now)
        }
    }

    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(EventStoreError) {
        try await health.noting(.send) { () async throws(EventStoreError) in
            try await base.complete(claim, outcome)
        }
    }
}
