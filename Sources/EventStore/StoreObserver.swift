public import Domain

/// Sees what a node's calls of the store do. What an observer does not write does nothing.
public protocol StoreObserver: Sendable {
    /// An append begins.
    func appending()
    /// An append is over.
    func appended(_ append: ObservedAppend)
    /// A batch was folded and committed.
    func folded(_ fold: FoldedBatch)
    /// The results of pushes were written down.
    func recorded(_ results: [PhoneResult], of claim: DeliveryClaim)
    /// How a call that a node lives by ended; nil when it was carried out.
    func ended(_ call: StoreCall, _ error: EventStoreError?)
}

extension StoreObserver {
    public func appending() {}
    public func appended(_ append: ObservedAppend) {}
    public func folded(_ fold: FoldedBatch) {}
    public func recorded(_ results: [PhoneResult], of claim: DeliveryClaim) {}
    public func ended(_ call: StoreCall, _ error: EventStoreError?) {}
}

/// One append, with what came of it.
public struct ObservedAppend: Sendable {
    public var tenant: TenantID
    public var events: [NewEvent]
    public var result: Result<[AppendResult], EventStoreError>
    public var began: ContinuousClock.Instant
}

extension EventStore {
    /// The same store, whose calls are seen.
    public func observed(by observers: [any StoreObserver]) -> EventStore {
        var store = self
        store.log = ObservedLog(base: log, observers: observers)
        store.projections = ObservedProjections(base: projections, observers: observers)
        store.deliveries = ObservedDeliveries(base: deliveries, observers: observers)
        return store
    }
}

private struct ObservedLog: ForwardingEventLog {
    let base: any EventLog
    let observers: [any StoreObserver]

    /// Waits for nothing but the call itself, as decision 3 says.
    func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) async throws(EventStoreError) -> [AppendResult] {
        let began = ContinuousClock.now
        for observer in observers { observer.appending() }
        let result = await Result { () async throws(EventStoreError) in
            try await base.append(tenant, events, isAtomic: isAtomic)
        }
        observers.saw(.append, result)
        let observed = ObservedAppend(
            tenant: tenant, events: events, result: result, began: began)
        for observer in observers { observer.appended(observed) }
        return try result.get()
    }
}

private struct ObservedProjections: ForwardingProjectionStore {
    let base: any ProjectionStore
    let observers: [any StoreObserver]

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async throws(EventStoreError) -> FoldedBatch? {
        let folded = try await observers.seeing(.fold) { () async throws(EventStoreError) in
            try await base.foldNext(tenant, limit, fold)
        }
        if let folded {
            for observer in observers { observer.folded(folded) }
        }
        return folded
    }
}

private struct ObservedDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    let observers: [any StoreObserver]

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(EventStoreError) -> [DeliveryClaim] {
        // Where nothing was decided here, nothing is asked of the database either.
        guard scope == .all else { return try await base.claimNext(limit, scope, now) }
        return try await observers.seeing(.send) { () async throws(EventStoreError) in
            try await base.claimNext(limit, scope, now)
        }
    }

    func record(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError) {
        try await base.record(claim, results)
        for observer in observers { observer.recorded(results, of: claim) }
    }

    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(EventStoreError) {
        try await observers.seeing(.send) { () async throws(EventStoreError) in
            try await base.complete(claim, outcome)
        }
    }
}

extension [any StoreObserver] {
    fileprivate func seeing<R>(
        _ call: StoreCall, _ body: () async throws(EventStoreError) -> R
    ) async throws(EventStoreError) -> R {
        let result = await Result(of: body)
        saw(call, result)
        return try result.get()
    }

    fileprivate func saw<R>(_ call: StoreCall, _ result: Result<R, EventStoreError>) {
        let error: EventStoreError? = if case .failure(let error) = result { error } else { nil }
        for observer in self { observer.ended(call, error) }
    }
}
