public import Domain

/// Something that a reader of a tenant's changes is to receive.
public struct ActivityChange: Hashable, Sendable {
    /// Where a change stands among all of a tenant's.
    public struct Place: Hashable, Comparable, Sendable {
        /// The last event that was folded in; for a notice, how far the log was folded then.
        public var position: Int64
        /// Orders what was noticed at a position, after what was folded there; 0 for an event.
        public var noticeNumber: Int64

        public init(position: Int64, noticeNumber: Int64 = 0) {
            self.position = position
            self.noticeNumber = noticeNumber
        }

        public static func < (left: Place, right: Place) -> Bool {
            (left.position, left.noticeNumber) < (right.position, right.noticeNumber)
        }
    }

    public var place: Place
    public var activityID: ActivityID
    /// As it is now; nil when nothing is left of it, for all its events are skipped.
    public var snapshot: Snapshot?
    /// The ledger's row for the snapshot's version, if it has one.
    public var decision: LedgerRow?
    /// When it was parked or released, if that is the change.
    public var noticedAt: Moment?

    public init(
        place: Place, activityID: ActivityID, snapshot: Snapshot?, decision: LedgerRow? = nil,
        noticedAt: Moment? = nil
    ) {
        self.place = place
        self.activityID = activityID
        self.snapshot = snapshot
        self.decision = decision
        self.noticedAt = noticedAt
    }
}

/// What a reader of a tenant's changes asked for.
public struct ActivityChanges: Hashable, Sendable {
    /// The changes by place, an activity once.
    public var all: [ActivityChange]
    /// By place, what was noticed here of activities that come only after the end, since they have
    /// changed again: for readers that have to hear of each notice.
    public var superseded: [ActivityChange] = []
    /// How many places were looked at: fewer than were asked for when there are no more.
    public var looked: Int
    /// The last of them, to go on after; nil when there was none.
    public var end: ActivityChange.Place?
    /// The generation of the snapshots: another one says that all of them were folded again, and
    /// may be other than before without having changed their places.
    public var generation: Int32

    public init(_ all: [ActivityChange], generation: Int32) {
        self.all = all
        looked = all.count
        end = all.last?.place
        self.generation = generation
    }
}
