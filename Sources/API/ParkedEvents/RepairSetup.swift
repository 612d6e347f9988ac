public import Domain
public import EventStore

/// How parked events are folded once more, which the API may not import.
public struct RepairSetup: Sendable {
    /// What became of an activity.
    public struct Outcome: Hashable, Sendable {
        public var activityID: ActivityID
        /// Events that were parked and are folded now, or skipped.
        public var released: Int
        /// Events that stay parked, and why the first one does.
        public var remaining: Int
        public var reason: String?

        public init(activityID: ActivityID, released: Int, remaining: Int, reason: String?) {
            self.activityID = activityID
            self.released = released
            self.remaining = remaining
            self.reason = reason
        }
    }

    /// Folds an activity anew.
    public var retry: @Sendable (TenantID, ActivityID) async throws(EventStoreError) -> Outcome
    /// Leaves the event at a position out for good; nil when none is parked there.
    public var skip: @Sendable (TenantID, Int64) async throws(EventStoreError) -> Outcome?

    public init(
        retry:
            @escaping @Sendable (TenantID, ActivityID) async throws(EventStoreError) -> Outcome,
        skip: @escaping @Sendable (TenantID, Int64) async throws(EventStoreError) -> Outcome?
    ) {
        self.retry = retry
        self.skip = skip
    }
}
