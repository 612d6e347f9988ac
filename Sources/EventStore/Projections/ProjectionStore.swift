public import Domain

/// A tenant's next events with the snapshots that they will change: read from the log under the
/// checkpoint's lock, or from memory without one. Then the commit finds out whether the checkpoint
/// is still the same.
public struct FoldBatch: Sendable {
    public var tenant: TenantID
    /// The events directly after the checkpoint, in order of position.
    public var events: [RecordedEvent]
    /// The snapshots of the activities in `events`, where they exist.
    public var snapshots: [ActivityID: Snapshot]
    /// All earlier events of the activities for which the fold wanted them.
    public var histories: [ActivityID: [RecordedEvent]] = [:]
    /// The policies in force for `events` and `histories`, and newer ones.
    public var policies: TenantPolicies

    public init(
        tenant: TenantID, events: [RecordedEvent], snapshots: [ActivityID: Snapshot],
        policies: TenantPolicies = .none
    ) {
        self.tenant = tenant
        self.events = events
        self.snapshots = snapshots
        self.policies = policies
    }
}

/// What folding a batch gives. It commits together with the checkpoint or not at all.
public struct FoldResult: Sendable {
    /// Every snapshot that changed, at its newest version.
    public var snapshots: [Snapshot]
    /// One per event that was folded.
    public var decisions: [Decision]
    /// Events that could not be folded.
    public var parked: [ParkedEvent]
    /// Activities that an older fold has stored: they have to be folded from their first event on,
    /// so the fold is to be called again with their histories. Nothing else counts then.
    public var wantsHistory: Set<ActivityID> = []
    /// A newer version of the program has folded some of the activities: this one must not.
    public var needsNewerProgram = false
    /// How many events it is about, at least one, from the batch's first on; nil for all. The
    /// checkpoint moves up to there, and the others are the next batch's.
    public var foldedCount: Int?

    public init(snapshots: [Snapshot], decisions: [Decision], parked: [ParkedEvent]) {
        self.snapshots = snapshots
        self.decisions = decisions
        self.parked = parked
    }
}

/// A batch with what a fold made of it.
public struct FoldedBatch: Sendable {
    /// Without the events that the result leaves to the next batch.
    public private(set) var batch: FoldBatch
    public let result: FoldResult
    public let began: ContinuousClock.Instant
    /// When the result was there, which is then to be committed.
    public let decided: ContinuousClock.Instant

    public init(_ batch: FoldBatch, _ fold: (FoldBatch) -> FoldResult) {
        began = .now
        result = fold(batch)
        decided = .now
        self.batch = batch
        if let count = result.foldedCount {
            self.batch.events.removeLast(batch.events.count - count)
        }
    }

    /// How many events were folded.
    public var count: Int { batch.events.count }
}

public struct ParkedEvent: Hashable, Sendable {
    public var position: Int64
    public var activityID: ActivityID
    public var reason: String

    public init(position: Int64, activityID: ActivityID, reason: String) {
        self.position = position
        self.activityID = activityID
        self.reason = reason
    }
}

/// Snapshots, decisions and the checkpoint that moves with them.
public protocol ProjectionStore: Sendable {
    /// Calls `fold` with the next events of a tenant, and commits its result with the new
    /// checkpoint in one transaction: from memory if this node recorded them a moment ago, else
    /// from the log. A tenant that another projector has locked is left alone.
    /// - Parameter tenant: nil for the one that has waited longest.
    /// - Returns: what was committed, which may be less than there is; nil when there is nothing
    ///   that nobody else has locked.
    func foldNext(_ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult)
        async throws(EventStoreError) -> FoldedBatch?
    func snapshot(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Snapshot?
    /// What changed after a place, in order: an activity once, at its newest one.
    /// - Parameter isFollowing: the reader has all that there was when it last asked, so only what
    ///   is new is asked for. Only then may an answer come from this node's memory: it may still
    ///   have a person's data in older changes that have been erased since.
    func changes(
        _ tenant: TenantID, after place: ActivityChange.Place, _ limit: Int, isFollowing: Bool
    ) async throws(EventStoreError) -> ActivityChanges
    /// The ledger's rows for the versions of snapshots, where there are any.
    func decided(_ tenant: TenantID, _ snapshots: [Snapshot]) async throws(EventStoreError)
        -> [ActivityID: LedgerRow]
    /// Ledger rows of an activity after a version, in order of version.
    func decisions(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [LedgerRow]
    /// Last position that was folded; 0 at the beginning.
    func checkpoint(_ tenant: TenantID) async throws(EventStoreError) -> Int64
}
