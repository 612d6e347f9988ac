public import Domain

/// What erases a person's data, whom an activity is about.
public protocol ErasureStore: Sendable {
    /// What there is of an activity, in one view.
    func content(_ tenant: TenantID, _ activity: ActivityID)
        async throws(EventStoreError) -> ErasureContent
    /// Rewrites an activity while nobody folds its tenant or adds to its log, and destroys the key
    /// of what is archived of it; all in one transaction.
    /// - Parameter rewrite: says what becomes of it, or why it cannot be.
    /// - Returns: what `rewrite` said.
    func erase(
        _ tenant: TenantID, _ activity: ActivityID,
        _ rewrite: @Sendable (ErasureContent) -> Result<ErasureChanges, ErasureRefusal>
    ) async throws(EventStoreError) -> Result<ErasureChanges, ErasureRefusal>
    /// The keys that seal what is archived of activities, 32 bytes each.
    /// - Parameter isMaking: whether those that have none get one.
    func keys(_ tenant: TenantID, _ activities: [ActivityID], isMaking: Bool)
        async throws(EventStoreError) -> [ActivityID: [UInt8]]
    /// Of how many activities something was erased.
    func erasedCount(_ tenant: TenantID) async throws(EventStoreError) -> Int64
}

/// An activity as an erasure finds it.
public struct ErasureContent: Sendable {
    /// All that were recorded, by version.
    public var events: [RecordedEvent]
    /// Positions of those that are parked or skipped.
    public var unfolded: Set<Int64>
    /// Up to which the tenant's log is folded.
    public var checkpoint: Int64
    /// As it is stored; nil when nothing is folded.
    public var snapshot: Snapshot?
    /// By version.
    public var decisions: [Decision]
    /// Those in force for `events`.
    public var policies: TenantPolicies
    /// There are archived values that can be opened.
    public var hasKey: Bool
    /// When something was erased of it last.
    public var erasedAt: Moment?
    /// A rebuild of the tenant's snapshots is under way.
    public var isRebuilding: Bool

    public init(
        events: [RecordedEvent], unfolded: Set<Int64> = [], checkpoint: Int64,
        snapshot: Snapshot?, decisions: [Decision], policies: TenantPolicies = .none,
        hasKey: Bool = false, erasedAt: Moment? = nil, isRebuilding: Bool = false
    ) {
        self.events = events
        self.unfolded = unfolded
        self.checkpoint = checkpoint
        self.snapshot = snapshot
        self.decisions = decisions
        self.policies = policies
        self.hasKey = hasKey
        self.erasedAt = erasedAt
        self.isRebuilding = isRebuilding
    }
}

/// What an erasure changes of an activity.
public struct ErasureChanges: Sendable {
    /// Events with other data, and nothing else that is different: also those whose marks of an
    /// earlier erasure are numbered again.
    public var events: [RecordedEvent] = []
    /// Values in them that are erased.
    public var valueCount = 0
    /// Events that these were in.
    public var eventCount = 0
    /// Nil where it stays as it is.
    public var snapshot: Snapshot?
    /// Those that have other texts.
    public var decisions: [Decision] = []
    /// Search words that led to it at some time and do no longer.
    public var formerWords: [String] = []
    /// Archived values cannot be opened any more.
    public var destroysKey = false

    public init() {}

    /// Nothing is there that could be erased.
    public var isEmpty: Bool { events.isEmpty && snapshot == nil && !destroysKey }
}

/// Why an activity cannot be rewritten now.
public enum ErasureRefusal: Error, Hashable, Sendable {
    case isBehind
    case isBlocked
    case isRebuilding
    case isUnfoldable
}

extension ErasureRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .isBehind:
            "some of its events are not folded yet; run the command again in a moment"
        case .isBlocked:
            "one of its events is parked; retry or skip it first (islet projections parked)"
        case .isRebuilding:
            "a rebuild of the tenant is under way; let it end, or cancel it"
        case .isUnfoldable:
            "this version of Islet cannot fold its events again; rebuild the projection first"
        }
    }
}
