import Domain
import Locks

extension EventStore {
    /// The same store; what it folds and records is counted.
    public func counting(in counter: SeriesCounter) -> EventStore {
        var store = self
        store.projections = CountingProjections(base: projections, counter: counter)
        store.deliveries = CountingDeliveries(base: deliveries, counter: counter)
        return store
    }
}

private struct CountingProjections: ForwardingProjectionStore {
    let base: any ProjectionStore
    let counter: SeriesCounter

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldOutcome
    ) async throws(EventStoreError) -> Int {
        // A fold may be asked twice; what counts is what was committed, the last one.
        let last = Lock<(FoldBatch, FoldOutcome)?>(nil)
        let count = try await base.foldNext(tenant, limit) { batch in
            let outcome = fold(batch)
            last.withLock { $0 = (batch, outcome) }
            return outcome
        }
        if count > 0, let (batch, outcome) = last.withLock({ $0 }) {
            counter.note(outcome, of: batch)
        }
        return count
    }
}

private struct CountingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    let counter: SeriesCounter

    func record(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError) {
        try await base.record(claim, results)
        counter.note(results, of: claim)
    }
}
