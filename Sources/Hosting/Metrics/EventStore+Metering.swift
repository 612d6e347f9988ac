import API
import DatabaseAccess
import Domain
import EventLoop
import EventStore
import Terminal

extension EventStore {
    /// The same store; what is appended and folded is counted.
    func metering(in meters: NodeMeters) -> EventStore {
        var store = self
        store.log = MeteredLog(base: log, meters: meters)
        store.projections = MeteredProjections(base: projections, meters: meters)
        return store
    }
}

extension Database {
    /// The same; the result of a node's calls is noted, and what they do is counted.
    /// - Parameter meters: nil when nobody asks for metrics.
    func noting(in health: StoreHealth, metering meters: NodeMeters?) -> Database {
        noting { store in
            let noting = store.noting(in: health)
            return meters.map { noting.metering(in: $0) } ?? noting
        }
    }
}

private struct MeteredLog: ForwardingEventLog {
    let base: any EventLog
    let meters: NodeMeters

    func append(
        _ tenant: TenantID, _ events: [NewEvent]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        try await metered { () async throws(EventStoreError) in
            try await base.append(tenant, events)
        }
    }

    func appendEach(
        _ tenant: TenantID, _ events: [NewEvent]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        try await metered { () async throws(EventStoreError) in
            try await base.appendEach(tenant, events)
        }
    }

    private nonisolated(nonsending) func metered(
        _ body: () async throws(EventStoreError) -> [AppendOutcome]
    ) async throws(EventStoreError) -> [AppendOutcome] {
        let began = ContinuousClock.now
        meters.appends.withLock { $0.waiting += 1 }
        do throws(EventStoreError) {
            let outcomes = try await body()
            let taken = ContinuousClock.now - began
            meters.appends.withLock { meter in
                meter.waiting -= 1
                meter.note(outcomes, taken)
            }
            return outcomes
        } catch {
            meters.appends.withLock { $0.waiting -= 1 }
            throw error
        }
    }
}

private struct MeteredProjections: ForwardingProjectionStore {
    let base: any ProjectionStore
    let meters: NodeMeters

    /// What a fold saw. It may be called again with more, and then only that counts.
    private struct Seen {
        var events: [RecordedEvent]
        var outcome: FoldOutcome
    }

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldOutcome
    ) async throws(EventStoreError) -> Int {
        let seen = Lock<Seen?>(nil)
        let count = try await base.foldNext(tenant, limit) { batch in
            let outcome = fold(batch)
            seen.withLock { $0 = Seen(events: batch.events, outcome: outcome) }
            return outcome
        }
        guard count > 0, let folded = seen.withLock({ $0.take() }) else { return count }
        // By the database's clock, which has dated the events.
        let ahead = meters.clockAheadSeconds.withLock { $0 ?? 0 }
        let now = WallClock.now().adding(seconds: -ahead)
        meters.folds.withLock { meter in
            for event in folded.events { meter.seconds.note(now.seconds(since: event.recordedAt)) }
            meter.note(folded.outcome)
        }
        return count
    }
}
