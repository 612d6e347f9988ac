import Domain

extension EventStore {
    /// The same store; what becomes of the calls that a node lives by is noted.
    public func noting(in health: StoreHealth) -> EventStore {
        var store = self
        store.log.append = { [log] (tenant, events) async throws(EventStoreError) in
            try await health.noting(.append) { () async throws(EventStoreError) in
                try await log.append(tenant, events)
            }
        }
        store.log.appendEach = { [log] (tenant, events) async throws(EventStoreError) in
            try await health.noting(.append) { () async throws(EventStoreError) in
                try await log.appendEach(tenant, events)
            }
        }
        store.projections.foldNext = {
            [projections] (tenant, limit, fold) async throws(EventStoreError) in
            try await health.noting(.fold) { () async throws(EventStoreError) in
                try await projections.foldNext(tenant, limit, fold)
            }
        }
        store.deliveries.claimNext = {
            [deliveries] (limit, scope, now) async throws(EventStoreError) in
            // Where nothing was decided here, nothing is asked of the database either.
            guard scope == .all else { return try await deliveries.claimNext(limit, scope, now) }
            return try await health.noting(.send) { () async throws(EventStoreError) in
                try await deliveries.claimNext(limit, scope, now)
            }
        }
        store.deliveries.settle = { [deliveries] (claim, outcome) async throws(EventStoreError) in
            try await health.noting(.send) { () async throws(EventStoreError) in
                try await deliveries.settle(claim, outcome)
            }
        }
        return store
    }
}
