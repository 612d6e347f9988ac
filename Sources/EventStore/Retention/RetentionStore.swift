public import Domain

/// What is kept of a tenant's log, and what may go.
public protocol RetentionStore: Sendable {
    /// Archives, drops or removes while no other process does so for the tenant.
    /// - Returns: nil when another one does.
    func alone<Answer: Sendable>(_ tenant: TenantID, _ body: () async -> Answer)
        async throws(EventStoreError) -> Answer?
    /// In the order of their positions; each begins where the one before it ends.
    func archives(_ tenant: TenantID) async throws(EventStoreError) -> [LogArchive]
    /// Notes that these events are in files that were checked. From then on they may be dropped.
    func note(_ archive: LogArchive, of tenant: TenantID) async throws(EventStoreError)
    /// Those of them that have events of activities, in the same order.
    func archives(_ tenant: TenantID, of activities: [ActivityID])
        async throws(EventStoreError) -> [LogArchive]
    /// Notes of an archive that its events were written again: where, and with which chain.
    func noteAgain(_ archive: LogArchive, of tenant: TenantID) async throws(EventStoreError)
    /// Last position that was recorded before a moment.
    func position(_ tenant: TenantID, before moment: Moment) async throws(EventStoreError) -> Int64
    /// How many events of the archived part are gone.
    func dropped(_ tenant: TenantID) async throws(EventStoreError) -> Int64
    /// A page of the tenant's activities in order of their ids, and those of them that may go now.
    /// - Parameter after: the activity to begin after.
    func droppable(_ tenant: TenantID, _ retention: Retention, after: ActivityID?)
        async throws(EventStoreError) -> DroppablePage
    /// What the ledger and the cards of activities say, one JSON object each, with whose it is and
    /// without push tokens; of an activity that was erased also without `CardRecord.phoneMembers`.
    func records(_ tenant: TenantID, _ activities: [DroppableActivity])
        async throws(EventStoreError) -> [String]
    /// Drops those that still may go, with all their events, in one transaction.
    func drop(_ tenant: TenantID, _ activities: [DroppableActivity])
        async throws(EventStoreError) -> DroppedActivities
    /// Removes rows that nobody needs any more, a few at a time.
    /// - Returns: how many went.
    func sweep(_ sort: Leftover, before moment: Moment) async throws(EventStoreError) -> Int
    /// Removes some of what belongs to a tenant, whose log has to be archived wholly.
    /// - Returns: how many rows went; 0 when the tenant itself has.
    func remove(_ tenant: TenantID) async throws(EventStoreError) -> Int64
}

/// A part of a log in the files of an export.
public struct LogArchive: Hashable, Sendable {
    public var after: Int64
    public var through: Int64
    /// Where the files are.
    public var place: String
    /// Last value of their chain.
    public var chain: String

    public init(after: Int64, through: Int64, place: String, chain: String) {
        self.after = after
        self.through = through
        self.place = place
        self.chain = chain
    }
}

/// Until when what has ended is kept.
public struct Retention: Hashable, Sendable {
    /// By the kind's name: what changed last before then may go.
    public var kinds: [String: Moment]
    /// For other kinds; nil keeps them for good.
    public var otherwise: Moment?

    public init(kinds: [String: Moment] = [:], otherwise: Moment?) {
        self.kinds = kinds
        self.otherwise = otherwise
    }

    /// The log before then has to be archived for anything to go.
    public var newest: Moment? { (kinds.values + [otherwise].compactMap(\.self)).max() }
}

/// An activity that may go if nothing of it has changed since.
public struct DroppableActivity: Hashable, Sendable {
    public var id: ActivityID
    public var before: Moment

    public init(id: ActivityID, before: Moment) {
        self.id = id
        self.before = before
    }
}

/// With the activity that was looked at last; nil at the end.
public typealias DroppablePage = (activities: [DroppableActivity], last: ActivityID?)

public struct DroppedActivities: Hashable, Sendable {
    public var activities: Int64
    public var events: Int64

    public init(activities: Int64 = 0, events: Int64 = 0) {
        self.activities = activities
        self.events = events
    }
}

/// What is written down of cards, and of pushes that started them.
public enum CardRecord {
    /// Members of a row that tell of a phone, or lead to it: they are a person's data.
    public static let phoneMembers = [
        "app_build", "device_id", "frequent", "installation", "locale", "os_major",
    ]
}

/// Rows that say nothing any more once they are old.
public enum Leftover: String, CaseIterable, Sendable {
    /// Cards that were closed, or whose token APNs has rejected.
    case registrations
    /// That an activity was parked or released.
    case notices
    /// API keys that were revoked or have expired.
    case keys
}
