public import Domain
public import EventStore

/// What operators do about parked events.
public struct Repair: Sendable {
    /// What became of one activity.
    public struct Result: Hashable, Sendable {
        public var activityID: ActivityID
        /// Events that were parked and are folded now, or skipped.
        public var released: Int
        /// Events that stay parked.
        public var remaining: Int
        /// Of the first one that stays.
        public var reason: String?
    }

    private let store: any UpkeepStore
    private let tenant: TenantID

    public init(_ store: EventStore, tenant: TenantID) {
        self.store = store.upkeep
        self.tenant = tenant
    }

    /// Folds anew each activity that has parked events, or the given one in any case.
    public func retry(_ activity: ActivityID?) async throws(EventStoreError) -> [Result] {
        var results: [Result] = []
        let waiting = try await waiting(activity)
        let activities = activity.map { [$0] } ?? Set(waiting.map(\.event.activityID)).sorted()
        for activity in activities {
            let before = waiting.count { $0.event.activityID == activity }
            _ = try await store.refold(tenant, activity, nil, Unparking.fold)
            results.append(try await result(activity, before))
        }
        return results
    }

    /// Leaves a parked event out for good and folds its activity without it.
    /// - Returns: nil when no event is parked at this position.
    public func skip(_ position: Int64) async throws(EventStoreError) -> Result? {
        let found = try await store.parked(tenant, nil, position - 1, 1).first
        guard let row = found, row.event.position == position else { return nil }
        let activity = row.event.activityID
        let before = try await waiting(activity).count
        _ = try await store.refold(tenant, activity, position, Unparking.fold)
        return try await result(activity, before)
    }

    private func result(_ activity: ActivityID, _ before: Int) async throws(EventStoreError)
        -> Result
    {
        let rest = try await waiting(activity)
        return Result(
            activityID: activity, released: max(0, before - rest.count), remaining: rest.count,
            reason: rest.first?.event.reason)
    }

    /// Events that are parked and not skipped.
    private func waiting(_ activity: ActivityID?) async throws(EventStoreError) -> [ParkedRow] {
        try await store.allParked(tenant, activity).filter { !$0.isSkipped }
    }
}
