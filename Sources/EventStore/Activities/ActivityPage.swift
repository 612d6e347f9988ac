public import Domain

/// How far the answer to a question is behind the log; read at the same instant as the answer.
public struct Freshness: Hashable, Sendable {
    /// The last position that is folded: the answer knows it and everything before it.
    public var position: Int64
    /// The last position of the log.
    public var head: Int64

    public init(position: Int64, head: Int64) {
        self.position = position
        self.head = head
    }
}

/// A part of a list of activities.
public struct ActivityPage: Sendable {
    /// A place in a list; its order depends on the question.
    public enum Place: Hashable, Sendable {
        /// Of a list in order of ids.
        case id(ActivityID)
        /// Of a list in order of last changes.
        case change(ActivityChange.Place)
    }

    public var snapshots: [Snapshot]
    /// Where each of them stands; empty where nobody goes on from there.
    public var places: [Place]
    /// Where the next page begins; nil after the last one.
    public var next: Place?
    public var freshness: Freshness

    public init(
        snapshots: [Snapshot], places: [Place] = [], next: Place?, freshness: Freshness
    ) {
        self.snapshots = snapshots
        self.places = places
        self.next = next
        self.freshness = freshness
    }
}

/// A part of a scoreboard.
public struct ScoreboardPage: Sendable {
    /// A place in the order of start and id; without a start it is behind all that have one.
    public struct Place: Hashable, Sendable {
        public var startsAt: Moment?
        public var activityID: ActivityID

        public init(startsAt: Moment?, activityID: ActivityID) {
            self.startsAt = startsAt
            self.activityID = activityID
        }

        /// Where an activity stands.
        public init(_ snapshot: Snapshot) {
            self.init(startsAt: snapshot.facts.startsAt, activityID: snapshot.activityID)
        }
    }

    public var snapshots: [Snapshot]
    /// Where the next page begins; nil after the last one.
    public var next: Place?
    public var freshness: Freshness

    public init(snapshots: [Snapshot], next: Place?, freshness: Freshness) {
        self.snapshots = snapshots
        self.next = next
        self.freshness = freshness
    }
}

/// One activity as it stands in the store.
public struct ActivityReading: Sendable {
    public enum Finding: Sendable {
        case absent
        /// It is byte for byte what had this row version.
        case unchanged
        /// - Parameter rowVersion: another one after each change.
        case found(Snapshot, rowVersion: String)
    }

    public var finding: Finding
    public var freshness: Freshness

    public init(finding: Finding, freshness: Freshness) {
        self.finding = finding
        self.freshness = freshness
    }
}
