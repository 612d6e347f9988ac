public import Domain
import Locks

/// Sees what a node's calls of the store do. What an observer does not write does nothing.
public protocol StoreObserver: Sendable {
    /// An append begins.
    func appending()
    /// An append is over.
    func appended(_ append: ObservedAppend)
    /// A batch was folded and committed.
    func folded(_ fold: ObservedFold)
    /// The results of pushes were written down.
    func recorded(_ results: [PhoneResult], of claim: DeliveryClaim)
    /// How a call that a node lives by ended; nil when it was carried out.
    func ended(_ call: StoreCall, _ error: EventStoreError?)
}

extension StoreObserver {
    public func appending() {}
    public func appended(_ append: ObservedAppend) {}
    public func folded(_ fold: ObservedFold) {}
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

/// A batch with what was made of it.
public struct ObservedFold: Sendable {
    public var batch: FoldBatch
    public var result: FoldResult
    public var began: ContinuousClock.Instant
    /// When the result was there, which was then to be committed.
    public var decided: ContinuousClock.Instant
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
    ) async throws(EventStoreError) -> Int {
        let folds = Lock(FoldsOfCall())
        let count = try await observers.seeing(.fold) { () async throws(EventStoreError) in
            try await base.foldNext(tenant, limit) { batch in
                let began = ContinuousClock.now
                let result = fold(batch)
                var batch = batch
                batch.cut(to: result)
                let observed = ObservedFold(
                    batch: batch, result: result, began: began, decided: .now)
                folds.withLock { $0.note(observed) }
                return result
            }
        }
        for folded in folds.withLock({ $0.committed(count) }) {
            for observer in observers { observer.folded(folded) }
        }
        return count
    }
}

/// What one call of `foldNext` had folded: a stretch in several parts, each committed by itself,
/// and perhaps some of it once more, from the log or with more to go by.
private struct FoldsOfCall {
    private var folds: [ObservedFold] = []
    /// The last one begins where one before it began, so what lies before both is committed.
    private var goesOn = false

    mutating func note(_ fold: ObservedFold) {
        let begin = fold.batch.begin
        // With histories it is the same batch again.
        if fold.batch.histories.isEmpty {
            goesOn = folds.contains { $0.batch.begin == begin }
        }
        // Whatever was folded from there on was not committed, and counts only now.
        folds.removeAll { $0.batch.begin >= begin }
        folds.append(fold)
    }

    /// - Parameter count: how many events the store says were folded.
    func committed(_ count: Int) -> [ObservedFold] {
        guard count > 0 else { return [] }
        let all = folds.reduce(0) { $0 + $1.batch.events.count }
        // Else another node was quicker with what came before the last.
        return all == count || goesOn ? folds : Array(folds.suffix(1))
    }
}

extension FoldBatch {
    fileprivate var begin: Int64 { events.first?.position ?? 0 }
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
