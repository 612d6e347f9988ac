import Domain
import Foundation

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
        let last = LastFold()
        let count = try await base.foldNext(tenant, limit) { batch in
            let outcome = fold(batch)
            last.value = (batch, outcome)
            return outcome
        }
        if count > 0, let (batch, outcome) = last.value { counter.note(outcome, of: batch) }
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

/// `@unchecked Sendable`: `lock` protects `current`.
private final class LastFold: @unchecked Sendable {
    private let lock = NSLock()
    private var current: (FoldBatch, FoldOutcome)?

    var value: (FoldBatch, FoldOutcome)? {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }
}
