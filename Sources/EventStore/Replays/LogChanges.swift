public import Domain

// What may change of a log while it is read: activities are dropped once they are archived, and a
// person's data are erased. Each is one transaction of all that there is of an activity.

/// An activity that was dropped, or of which something was erased.
public struct TouchedActivity: Hashable, Sendable {
    public var activityID: ActivityID
    /// Neither events nor a snapshot of it are there.
    public var isDropped: Bool
    /// When something was erased of it last.
    public var erasedAt: Moment?

    public init(activityID: ActivityID, isDropped: Bool, erasedAt: Moment? = nil) {
        self.activityID = activityID
        self.isDropped = isDropped
        self.erasedAt = erasedAt
    }
}

/// Events of the archived part of a log that are not there, all counted in one view.
public struct ArchivedGaps: Hashable, Sendable {
    /// Last position of that part.
    public var through: Int64
    public var missing: Int64
    /// That were dropped.
    public var dropped: Int64

    public init(through: Int64, missing: Int64, dropped: Int64) {
        self.through = through
        self.missing = missing
        self.dropped = dropped
    }
}
