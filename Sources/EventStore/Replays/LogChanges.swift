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

/// Of the archived part of a log its last position, how many of its events are not there, and how
/// many were dropped; all counted in one view.
public typealias ArchivedGaps = (through: Int64, missing: Int64, dropped: Int64)
