public import Domain
import EventStore

/// What a replay reads: a tenant's log and, from a database, what stands beside it. Nothing of it
/// can change anything.
public struct History: Sendable {
    public var tenant: String
    /// Position after which it begins; 0 for a whole log.
    public var after: Int64
    /// Only this activity's events are there, with those of others left out.
    public var onlyActivity: ActivityID?
    /// An activity may be here without its first events.
    var isPart: Bool { after > 0 || onlyActivity != nil }
    /// Last position; 0 when it is empty.
    public var end: @Sendable () async throws(ReplayError) -> Int64
    /// How many stretches may be asked for at once, in whatever order; if it is one, each is asked
    /// for when the one before it is there.
    var readsAtOnceMax = 1
    /// Positions of a stretch, in walks of the whole log.
    var stretchPositions = Limits.walkPageEvents
    /// Events of a stretch, in order of position.
    public var page:
        @Sendable (_ positions: ClosedRange<Int64>) async throws(ReplayError) -> HistoryPage
    /// Events of one activity after a version, in order of version; fewer than `limit` at the end.
    public var stream:
        @Sendable (_ activity: ActivityID, _ after: Int64, _ limit: Int)
            async throws(ReplayError) -> [RecordedEvent]
    /// The policies that any event is judged by, and the newest.
    public var policies: @Sendable () async throws(ReplayError) -> [StoredPolicy]
    /// Activities among which the one that was meant probably is.
    public var neighbours:
        @Sendable (_ activity: ActivityID) async throws(ReplayError) -> [ActivityID]
    /// Nil for an export, which has events and nothing else.
    public internal(set) var database: Database?

    /// What is in files, and may be gone from the log.
    public struct Archived: Hashable, Sendable {
        /// Last position.
        public var through: Int64
        /// Events that are gone.
        public var dropped: Int64
        /// Directories, oldest first.
        public var places: [String]

        public static let nothing = Archived(through: 0, dropped: 0, places: [])
    }

    public init(
        tenant: String, after: Int64 = 0, onlyActivity: ActivityID? = nil,
        end: @escaping @Sendable () async throws(ReplayError) -> Int64,
        page:
            @escaping @Sendable (_ positions: ClosedRange<Int64>) async throws(ReplayError)
            -> HistoryPage,
        stream:
            @escaping @Sendable (_ activity: ActivityID, _ after: Int64, _ limit: Int)
            async throws(ReplayError) -> [RecordedEvent],
        policies: @escaping @Sendable () async throws(ReplayError) -> [StoredPolicy],
        neighbours:
            @escaping @Sendable (_ activity: ActivityID) async throws(ReplayError)
            -> [ActivityID]
    ) {
        self.tenant = tenant
        self.after = after
        self.onlyActivity = onlyActivity
        self.end = end
        self.page = page
        self.stream = stream
        self.policies = policies
        self.neighbours = neighbours
    }

    /// - Throws: `.noSuchActivity` or `.perhapsArchived` when it has no event, with what was
    ///   probably meant.
    public func require(_ activity: ActivityID) async throws(ReplayError) {
        if try await stream(activity, 0, 1).isEmpty { throw try await noSuchActivity(activity) }
    }

    func noSuchActivity(_ activity: ActivityID) async throws(ReplayError) -> ReplayError {
        let known = try await neighbours(activity)
        let similar = Similarity.nearest(to: activity.rawValue, among: known.map(\.rawValue))
            .map { ActivityID(rawValue: $0) }
        let archived = try await database?.archived() ?? .nothing
        if archived.dropped > 0 {
            // It has probably ended, whatever is called like it and goes on.
            return .perhapsArchived(activity, similar: similar, places: archived.places)
        }
        return .noSuchActivity(activity, similar: similar)
    }

    /// Positions that are left out; of an export nobody knows.
    func skipped() async throws(ReplayError) -> Set<Int64> {
        guard let database else { return [] }
        return Set(try await database.parked().filter(\.value).keys)
    }
}
