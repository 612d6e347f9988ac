public import Domain

/// What only a replay asks: whole stretches of the log and of what stands beside it. Nothing here
/// changes anything.
public protocol ReplayStore: Sendable {
    /// Events of a range of positions, in their order.
    func page(_ tenant: TenantID, _ positions: ClosedRange<Int64>) async throws(EventStoreError)
        -> any LogPage
    /// Ledger rows of parts of activities.
    func ledger(_ tenant: TenantID, _ parts: [StreamPart]) async throws(EventStoreError)
        -> any LedgerPage
    /// Which rows the ledger has.
    func census(_ tenant: TenantID) async throws(EventStoreError) -> LedgerCensus
    /// How many live snapshots there are up to a position.
    func snapshotCount(_ tenant: TenantID, _ upTo: Int64) async throws(EventStoreError) -> Int
    /// Live snapshots of activities, where there are any.
    func snapshots(_ tenant: TenantID, _ activities: [ActivityID]) async throws(EventStoreError)
        -> [Snapshot]
    /// Of activities the version that comes before the first one of a part, where the log has one
    /// before a position.
    func preceding(_ tenant: TenantID, _ parts: [StreamPart], _ before: Int64)
        async throws(EventStoreError) -> [ActivityID: Int64]
    /// What stands beside the log up to a position and does not fit it, whatever it says.
    func strays(_ tenant: TenantID, _ kind: Stray.Kind, _ upTo: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Stray]
    /// Those of activities that may not be as they were a moment ago.
    /// - Parameter upTo: position up to which nothing is there of one that was dropped; it may have
    ///   begun again after it.
    func touched(_ tenant: TenantID, _ activities: [ActivityID], _ upTo: Int64)
        async throws(EventStoreError) -> [TouchedActivity]
    /// What is missing of the archived part, and what was dropped.
    func gaps(_ tenant: TenantID) async throws(EventStoreError) -> ArchivedGaps
    /// Is another one after each drop and each erasure.
    func mark(_ tenant: TenantID) async throws(EventStoreError) -> String
    /// Phones that are, or were, registered for an activity, after an id.
    func phones(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [PhoneRow]
    /// Activities around an id in their order, and the newest ones: among them is what was meant.
    func neighbours(_ tenant: TenantID, _ activity: ActivityID, _ limit: Int)
        async throws(EventStoreError) -> [ActivityID]
    /// Tenants whose logs are not whole here: they are on their way to this cell, or have left it.
    func elsewhere() async throws(EventStoreError) -> Set<TenantID>
}

/// Some versions of one activity.
public typealias StreamPart = (activity: ActivityID, versions: ClosedRange<Int64>)

/// A row that the log says should not be there, or the place of one that should.
public struct Stray: Hashable, Sendable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// An event that is folded and has no decision.
        case undecidedEvent
        /// A decision whose event there is not.
        case groundlessDecision
        /// A snapshot of an activity without events.
        case groundlessSnapshot
    }

    public var activityID: ActivityID
    public var version: Int64
    public var position: Int64

    public init(activityID: ActivityID, version: Int64, position: Int64) {
        self.activityID = activityID
        self.version = version
        self.position = position
    }
}

/// One phone's place in the delivery of an activity, without anything that is secret.
public struct PhoneRow: Hashable, Sendable {
    public var id: Int64
    @ByBytes public var bundleID: String
    public var environment: String
    public var locale: String?
    public var isFrequent = false
    public var registeredAt: Moment
    /// Version of the newest decision whose push APNs accepted for it; for one that is up to date,
    /// the last that was completed. 0 for none.
    public var sentVersion: Int64 = 0
    /// Failed attempts since the last success.
    public var attempts = 0
    /// Why APNs, or this server, did not take the last one.
    public var lastFailure: String?
    /// It is owed the newest state, not before then.
    public var owedAt: Moment?
    /// Its token is dead, as APNs says.
    public var deadAt: Moment?
    public var closedAt: Moment?
    public var closedBy: String?
    /// Not dead in fact: APNs does not know the token in that environment, or not as the app's.
    public var isUnfit = false

    public init(id: Int64, bundleID: String, environment: String, registeredAt: Moment) {
        self.id = id
        self.bundleID = bundleID
        self.environment = environment
        self.registeredAt = registeredAt
    }
}
