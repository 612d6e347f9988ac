public import Domain
public import EventStore

/// What operators do about parked events.
public struct Repair: Sendable {
    /// The result for one activity.
    public struct Result: Hashable, Sendable {
        public var activityID: ActivityID
        /// Events that were parked and are folded now.
        public var released: Int
        /// Events that stay parked.
        public var remaining: Int
        /// Why the event is parked that the others wait behind.
        public var reason: String?
    }

    /// The result of the wish to skip an event.
    public enum Skipping: Hashable, Sendable {
        case skipped(Result)
        /// Nothing: it was skipped before. The result is how the activity stands.
        case skippedAlready(Result)
        /// Nothing: nothing is wrong with the event. It waits behind the one at this position.
        case waits(behind: Int64)
        /// No event is parked at the position.
        case notParked

        /// Nil when the event is not skipped.
        public var result: Result? {
            switch self {
            case .skipped(let result), .skippedAlready(let result): result
            case .waits, .notParked: nil
            }
        }
    }

    private let store: any UpkeepStore
    private let tenant: TenantID

    public init(_ store: EventStore, tenant: TenantID) {
        self.store = store.upkeep
        self.tenant = tenant
    }

    /// Folds again each activity that has parked events, or the given one if it has.
    public func retry(_ activity: ActivityID?) async throws(EventStoreError) -> [Result] {
        var results: [Result] = []
        let waiting = try await waiting(activity)
        for activity in Set(waiting.map(\.event.activityID)).sorted() {
            let before = waiting.count { $0.event.activityID == activity }
            _ = try await store.refold(tenant, activity, nil, Unparking.fold)
            results.append(try await result(activity, before))
        }
        return results
    }

    /// Leaves a parked event out for good and folds its activity without it.
    public func skip(_ position: Int64) async throws(EventStoreError) -> Skipping {
        let found = try await store.parked(tenant, nil, isSkipped: nil, position - 1, 1).first
        guard let row = found, row.event.position == position else { return .notParked }
        let activity = row.event.activityID
        let before = try await waiting(activity)
        guard !row.isSkipped else {
            return .skippedAlready(try await result(activity, before.count))
        }
        if let cause = Self.cause(of: row, among: before) { return .waits(behind: cause) }
        _ = try await store.refold(tenant, activity, position, Unparking.fold)
        let others = before.count { $0.event.position != position }
        return .skipped(try await result(activity, others))
    }

    /// Position of the event that another one waits behind. What belongs to another kind is parked
    /// alone, and nothing waits behind it.
    private static func cause(of row: ParkedRow, among waiting: [ParkedRow]) -> Int64? {
        guard row.event.reason == BatchFolder.parkedBehind else { return nil }
        return waiting.last {
            $0.event.position < row.event.position && $0.event.reason != BatchFolder.parkedBehind
        }?.event.position
    }

    private func result(_ activity: ActivityID, _ before: Int) async throws(EventStoreError)
        -> Result
    {
        let rest = try await waiting(activity)
        // What belongs to another kind is parked first, and delays nothing.
        let cause = rest.last { $0.event.reason != BatchFolder.parkedBehind } ?? rest.first
        return Result(
            activityID: activity, released: max(0, before - rest.count), remaining: rest.count,
            reason: cause?.event.reason)
    }

    /// Events that are parked and not skipped.
    private func waiting(_ activity: ActivityID?) async throws(EventStoreError) -> [ParkedRow] {
        try await store.allParked(tenant, activity).filter { !$0.isSkipped }
    }
}
