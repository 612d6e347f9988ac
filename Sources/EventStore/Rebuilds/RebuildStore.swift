public import Domain

/// How far a new generation of a tenant's snapshots has come.
public struct RebuildProgress: Hashable, Sendable {
    public var tenant: Tenant
    public var generation: Int32
    /// Last position that is folded into it.
    public var position: Int64
    /// Where the live generation is, which is where the new one takes its place.
    public var target: Int64
    public var isPaused: Bool
    /// Why it was begun, for people.
    public var reason: String
    public var startedAt: Moment
    /// The folds that it is made with, by kind.
    public var foldVersions: [String: Int]

    public init(
        tenant: Tenant, generation: Int32, position: Int64, target: Int64, isPaused: Bool,
        reason: String, startedAt: Moment, foldVersions: [String: Int]
    ) {
        self.tenant = tenant
        self.generation = generation
        self.position = position
        self.target = target
        self.isPaused = isPaused
        self.reason = reason
        self.startedAt = startedAt
        self.foldVersions = foldVersions
    }

    /// Kinds that it folds by newer versions than these: who has but these leaves it alone.
    public func newerKinds(than foldVersions: [String: Int]) -> [String] {
        self.foldVersions.filter { $0.value > foldVersions[$0.key] ?? 0 }.map(\.key).sorted()
    }
}

/// Building a tenant's snapshots again beside the live ones.
public protocol RebuildStore: Sendable {
    /// Begins one unless there is one, or in place of one by older folds, even if that is paused;
    /// says which stands then.
    /// - Parameter foldVersions: the newest of each kind, by name; likewise below.
    func begin(_ tenant: TenantID, _ reason: String, _ foldVersions: [String: Int])
        async throws(EventStoreError) -> RebuildProgress
    /// All that are under way or paused, the first begun first.
    func list() async throws(EventStoreError) -> [RebuildProgress]
    /// - Returns: false when the tenant has none.
    func setPaused(_ tenant: TenantID, _ isPaused: Bool) async throws(EventStoreError) -> Bool
    /// Gives one up and drops what it built.
    /// - Returns: false when the tenant has none.
    func cancel(_ tenant: TenantID) async throws(EventStoreError) -> Bool
    /// Takes on one that is not paused and that nobody works on; nil when there is none. One by
    /// older folds begins again, one by newer ones is left to a newer program.
    /// - Parameter tenant: only this one's, if given.
    func take(_ tenant: TenantID?, _ foldVersions: [String: Int]) async throws(EventStoreError) -> (
        any RebuildSession
    )?
    /// Tenants with live snapshots that an older fold wrote.
    func outdated(_ foldVersions: [String: Int]) async throws(EventStoreError) -> [TenantID]
}

/// The right to work on one rebuild, for as long as its database session lives.
public protocol RebuildSession: Sendable {
    var progress: RebuildProgress { get }
    /// Positions that are left out, as they are in the live generation.
    var skipped: Set<Int64> { get }
    /// The next events, none beyond the live generation's position.
    func read(_ after: Int64, _ limit: Int) async throws(EventStoreError) -> any LogPage
    /// Snapshots of the new generation, to go on from.
    func snapshots(_ activities: [ActivityID]) async throws(EventStoreError) -> [Snapshot]
    /// Commits what was folded up to a position. Events may be read meanwhile.
    /// - Returns: false when the rebuild was paused or given up meanwhile; then nothing is written
    ///   in the second case.
    func write(_ part: RebuiltPart, _ upTo: Int64) async throws(EventStoreError) -> Bool
    /// Lets the database's planner know of what has been written. To be called before `lockLive`;
    /// a part may be written meanwhile.
    func analyze() async throws(EventStoreError)
    /// Keeps the live generation from moving until `switchOver` or `release`; what is
    /// written from here on belongs to one transaction.
    func lockLive() async throws(EventStoreError)
    /// Puts the new generation in the live one's place and drops that. Activities of which
    /// something was skipped too late for the rebuild to know are folded again.
    /// - Precondition: `lockLive` was called and all that there is was written since.
    /// - Parameter refold: as for `UpkeepStore.refold`.
    /// - Returns: false when the rebuild was paused or given up meanwhile.
    func switchOver(_ refold: @Sendable (RefoldInput) -> FoldResult?) async throws(EventStoreError)
        -> Bool
    /// Lets somebody else work on it.
    func release() async
}

/// What folding a stretch of the log again gave.
public struct RebuiltPart: Sendable {
    /// Each changed one once. Their dispatch states are taken from the live generation where that
    /// has the activity: what phones were sent does not change.
    public var snapshots: [Snapshot]
    public var parked: [ParkedEvent]

    public init(snapshots: [Snapshot], parked: [ParkedEvent]) {
        self.snapshots = snapshots
        self.parked = parked
    }
}
