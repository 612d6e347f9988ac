public import Domain

/// A stretch of the log as the database gave it out. Its events are decoded one at a time when they
/// are needed, by several threads at once, and none of them is kept.
public protocol LogPage: Sendable {
    /// Of its last event; nil when there is none.
    var lastPosition: Int64? { get }
    var indices: Range<Int> { get }
    /// Of the activity's id (FNV-1a).
    func fingerprint(_ index: Int) -> UInt64
    /// Whether the event is of an activity.
    func isEvent(_ index: Int, of activity: ActivityID) -> Bool
    /// Places and time of recording, without a look at the rest.
    func place(_ index: Int) throws(EventStoreError) -> EventPlace
    func activity(_ index: Int) throws(EventStoreError) -> ActivityID
    /// An event where it lies, for a caller that knows its place and its activity. Valid for as
    /// long as the page is kept.
    func borrowedEvent(
        _ index: Int, at place: EventPlace, of activity: ActivityID
    ) throws(EventStoreError) -> BorrowedEvent
}
