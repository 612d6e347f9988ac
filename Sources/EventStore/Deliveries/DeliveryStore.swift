public import Domain

/// One activity with something to send, owned by this sender until it is completed or released.
public struct DeliveryClaim: Sendable {
    public var tenant: TenantID
    public var snapshot: Snapshot
    /// Decisions that push and are not completed, oldest first: none, or all of them. Empty when
    /// only something else is due: phones or channels that are owed, or starts.
    public var pending: [Decision]
    /// Set if there are decisions that push and the time of none of them has come: the newest of
    /// them. Its stale date and the like go with the newest state to what else is due. The
    /// decisions themselves stay pending, and their alerts are not sent.
    public var upcoming: Decision?
    /// The newest completed decision that pushed: what owed phones have missed.
    public var lastCompleted: Decision?
    /// `aps.timestamp` for this fan-out in Unix seconds: later than any before, already durable.
    public var timestamp: Int64
    /// What the clock said that the timestamp was made by.
    public var claimedAt: Moment
    /// How far a fan-out that was cut short came. It goes on, and what has been decided since goes
    /// to the rest of the phones with it. Nil if no fan-out was cut short.
    public var progress: RecordedProgress?
    /// On whose phones the card is to appear; nil without an audience, or once that is closed and
    /// no start of it is due.
    public var audience: ClaimedAudience?
    /// Version of the newest decision to put fresh cards in place of old ones that is not
    /// carried out to the end, though it may be completed; nil when there is none.
    public var openRestartVersion: Int64?
    /// Fresh cards of such decisions are to be started now.
    public var isRestartDue: Bool
    /// The activity's current ones, open or still to be.
    public var channels: [Channel]
    /// From what the snapshot was folded under to the newest.
    public var policies: TenantPolicies
    /// All served ones, where they are few and were read with the claim; nil: see
    /// `DeliveryStore.page`.
    public var phones: [Registration]?
    /// Another node whose fan-out the claim takes over: it had neither completed it nor given it
    /// back.
    public var takenFrom: String?
    /// Whether nobody else can have the lock of its session, as far as this process can know by
    /// itself; nil in memory.
    public var isSessionFresh: (@Sendable () -> Bool)?

    /// - Parameter pending: those that push and are not completed, whether or not one is due.
    public init(
        tenant: TenantID, snapshot: Snapshot, pending: [Decision], lastCompleted: Decision?,
        timestamp: Int64, claimedAt: Moment, progress: RecordedProgress? = nil,
        audience: ClaimedAudience? = nil, openRestartVersion: Int64? = nil,
        isRestartDue: Bool = false, channels: [Channel] = [], policies: TenantPolicies = .none
    ) {
        // Once one is due, or has begun to be sent, all others go with it.
        let isDue = progress != nil || pending.contains { $0.isDue(at: claimedAt) }
        self.tenant = tenant
        self.snapshot = snapshot
        self.pending = isDue ? pending : []
        upcoming = isDue ? nil : pending.last
        self.lastCompleted = lastCompleted
        self.timestamp = timestamp
        self.claimedAt = claimedAt
        self.progress = progress
        self.audience = audience
        self.openRestartVersion = openRestartVersion
        self.isRestartDue = isRestartDue
        self.channels = channels
        self.policies = policies
    }
}

extension DeliveryClaim {
    /// Version up to which the fan-out completes decisions; 0 when none is pending.
    public var completesUpTo: Int64 { progress?.completesUpTo ?? pending.last?.version ?? 0 }

    /// The newest decision that pushes.
    public var newest: Decision? { upcoming ?? pending.last ?? lastCompleted }

    /// Pushes of the fan-out may make cards appear.
    public var mayStartCards: Bool {
        audience?.isDue == true || isRestartDue
            || pending.contains { $0.order?.restarts == true }
    }
}

extension Decision {
    fileprivate func isDue(at now: Moment) -> Bool { order?.sendAfter.map { $0 <= now } ?? true }
}

/// How far a fan-out to everyone has come through an activity's phones, as it is recorded.
public struct RecordedProgress: Hashable, Sendable {
    /// Version of the newest decision that it completes.
    public var completesUpTo: Int64
    /// The last phone whose result is recorded.
    public var afterRegistrationID: Int64
    public var accepted: Int
    public var failed: Int
    /// `aps.timestamp` of the newest push that a phone is recorded to have had; nil while there is
    /// none.
    public var timestamp: Int64?

    public init(
        completesUpTo: Int64, afterRegistrationID: Int64, accepted: Int, failed: Int,
        timestamp: Int64?
    ) {
        self.completesUpTo = completesUpTo
        self.afterRegistrationID = afterRegistrationID
        self.accepted = accepted
        self.failed = failed
        self.timestamp = timestamp
    }
}

/// Among which activities a sender claims.
public enum ClaimScope: Sendable {
    /// All that have something due. They have to be looked for, which takes as long as there is to
    /// look through.
    case all
    /// Those of which this node has a claim hint, because it has decided something a moment ago or
    /// a look has seen them. Others may have something due too.
    case hinted
}

/// The sender's side of the ledger.
public protocol DeliveryStore: Sendable {
    /// Claims up to `limit` activities that had no push in the current second and have something
    /// due: pending decisions, owed phones or channels, or starts. A claim is gone with the process
    /// that owns it.
    ///
    /// `now` is nil but in virtual time: then the database's clock counts, the same for all nodes.
    func claimNext(_ limit: Int, _ scope: ClaimScope, _ now: Moment?) async throws(EventStoreError)
        -> [DeliveryClaim]
    /// Whether nobody else can have claimed the activity since, as far as this process can know by
    /// itself: to be asked right before anything is sent. What it writes is checked again in any
    /// case.
    func isCurrent(_ claim: DeliveryClaim) -> Bool
    /// A page of the phones to send to, by registration id after `after`: all served ones, or with
    /// `onlyOwed` those whose retry is due at `now`.
    func page(_ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    /// The same claim with what has been decided since, and a later timestamp, already durable. Nil
    /// when there is nothing of that kind, or the activity's second is not over.
    func renew(_ claim: DeliveryClaim, _ now: Moment?) async throws(EventStoreError)
        -> DeliveryClaim?
    /// Records one page's results, in the order of the page, and how far the fan-out has come.
    func record(_ claim: DeliveryClaim, _ results: [PhoneResult]) async throws(EventStoreError)
    /// Marks the claim's pending decisions as completed with this outcome and gives the claim back.
    func complete(_ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome)
        async throws(EventStoreError)
    /// Gives the claim back with its decisions still pending.
    func release(_ claim: DeliveryClaim) async
    /// When the next decision, owed phone, owed channel or start is due and its activity's second
    /// is over; nil when nothing waits.
    func nextDue() async throws(EventStoreError) -> Moment?
    /// What the database's clock says.
    func time() async throws(EventStoreError) -> Moment
}
