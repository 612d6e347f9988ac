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
    func outlastingCancellation(on executor: (any TaskExecutor)?) -> DeliveryStore {
        var store = self
        store.page = { (claim, onlyOwed, now, after, limit) async throws(EventStoreError) in
            try await outlasting(on: executor) { () async throws(EventStoreError) in
                try await page(claim, onlyOwed, now, after, limit)
            }
        }
        store.renew = { (claim, now) async throws(EventStoreError) in
            try await outlasting(on: executor) { () async throws(EventStoreError) in
                try await renew(claim, now)
            }
        }
        store.record = { (claim, results) async throws(EventStoreError) in
            try await outlasting(on: executor) { () async throws(EventStoreError) in
                try await record(claim, results)
            }
        }
        store.settle = { (claim, outcome) async throws(EventStoreError) in
            try await outlasting(on: executor) { () async throws(EventStoreError) in
                try await settle(claim, outcome)
            }
        }
        store.release = { claim in
            await Task(executorPreference: executor) { await release(claim) }.value
        }
        return store
    }
}

extension StartingStore {
    /// As that of `DeliveryStore`.
    var outlastingCancellation: StartingStore {
        var store = self
        store.begin = { (claim, intents) async throws(EventStoreError) in
            try await outlasting { () async throws(EventStoreError) in
                try await begin(claim, intents)
            }
        }
        store.record = { (claim, results, cursor) async throws(EventStoreError) in
            try await outlasting { () async throws(EventStoreError) in
                try await record(claim, results, cursor)
            }
        }
        store.restarts.ended = { (claim, results) async throws(EventStoreError) in
            try await outlasting { () async throws(EventStoreError) in
                try await restarts.ended(claim, results)
            }
        }
        return store
    }
}

extension ChannelStore {
    /// Likewise.
    var outlastingCancellation: ChannelStore {
        var store = self
        store.change = { (channel, change, now) async throws(EventStoreError) in
            try await outlasting { () async throws(EventStoreError) in
                try await self.change(channel, change, now)
            }
        }
        store.record = { (claim, sent) async throws(EventStoreError) in
            try await outlasting { () async throws(EventStoreError) in
                try await record(claim, sent)
            }
        }
        return store
    }
}

/// Runs `body` in a task of its own, which nobody cancels.
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
