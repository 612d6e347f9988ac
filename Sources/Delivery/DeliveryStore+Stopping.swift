import Domain
import EventStore

extension EventStoreError {
    /// This process has stood still for so long that others may have its claims: nothing more is
    /// sent under them.
    static let takenOver = EventStoreError.unavailable(
        detail: "this node stood still or lost its session: its claims are void")
}

extension DeliveryStore {
    /// The same store, whose calls do not end with the caller's task. What went out to phones must
    /// be written down although the server stops meanwhile, or it would be sent twice.
    /// - Parameter executor: where the store's answers arrive; nil for anywhere.
    func outlastingCancellation(on executor: (any TaskExecutor)?) -> any DeliveryStore {
        OutlastingDeliveries(base: self, executor: executor)
    }
}

extension StartDeliveryStore {
    var outlastingCancellation: any StartDeliveryStore { OutlastingStarts(base: self) }
}

extension ChannelStore {
    var outlastingCancellation: any ChannelStore { OutlastingChannels(base: self) }
}

private struct OutlastingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    let executor: (any TaskExecutor)?

    func page(
        _ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [Registration] {
        try await outlasting(on: executor) { () async throws(EventStoreError) in
            try await base.page(claim, onlyOwed, now, after, limit)
        }
    }

    func renew(
        _ claim: DeliveryClaim, _ now: Moment?
    ) async throws(EventStoreError) -> DeliveryClaim? {
        try await outlasting(on: executor) { () async throws(EventStoreError) in
            try await base.renew(claim, now)
        }
    }

    func record(
        _ claim: DeliveryClaim, _ results: [PhoneResult]
    ) async throws(EventStoreError) {
        try await outlasting(on: executor) { () async throws(EventStoreError) in
            try await base.record(claim, results)
        }
    }

    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(EventStoreError) {
        try await outlasting(on: executor) { () async throws(EventStoreError) in
            try await base.complete(claim, outcome)
        }
    }

    func release(_ claim: DeliveryClaim) async {
        await Task(executorPreference: executor) { await base.release(claim) }.value
    }
}

private struct OutlastingStarts: ForwardingStartDeliveryStore {
    let base: any StartDeliveryStore

    func begin(
        _ claim: DeliveryClaim, _ intents: [StartIntent]
    ) async throws(EventStoreError) -> Set<Int64> {
        try await outlasting { () async throws(EventStoreError) in
            try await base.begin(claim, intents)
        }
    }

    func record(
        _ claim: DeliveryClaim, _ results: [StartResult], _ cursor: Int64?
    ) async throws(EventStoreError) {
        try await outlasting { () async throws(EventStoreError) in
            try await base.record(claim, results, cursor)
        }
    }

    var restarts: any RestartStore { OutlastingRestarts(base: base.restarts) }
}

private struct OutlastingRestarts: ForwardingRestartStore {
    let base: any RestartStore

    func ended(
        _ claim: DeliveryClaim, _ results: [PhoneResult]
    ) async throws(EventStoreError) {
        try await outlasting { () async throws(EventStoreError) in
            try await base.ended(claim, results)
        }
    }
}

private struct OutlastingChannels: ForwardingChannelStore {
    let base: any ChannelStore

    func change(
        _ channel: Channel, _ change: ChannelChange, _ now: Moment?
    ) async throws(EventStoreError) -> Bool {
        try await outlasting { () async throws(EventStoreError) in
            try await base.change(channel, change, now)
        }
    }

    func record(
        _ claim: DeliveryClaim, _ sent: [SentBroadcast]
    ) async throws(EventStoreError) {
        try await outlasting { () async throws(EventStoreError) in
            try await base.record(claim, sent)
        }
    }
}

private func outlasting<R: Sendable>(
    on executor: (any TaskExecutor)? = nil,
    _ body: @escaping @Sendable () async throws(EventStoreError) -> R
) async throws(EventStoreError) -> R {
    let task = Task(executorPreference: executor) { () async -> Result<R, EventStoreError> in
        do throws(EventStoreError) { return .success(try await body()) } catch {
            return .failure(error)
        }
    }
    return try await task.value.get()
}
