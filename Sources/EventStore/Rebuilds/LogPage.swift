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
    /// For a caller that knows the event's activity. The event's id and source are empty.
    func event(_ index: Int, of activity: ActivityID) throws(EventStoreError) -> RecordedEvent
    /// An event where it lies, for a caller that knows its place and its activity. Valid for as
    /// long as the page is kept.
    func eventInPlace(
        _ index: Int, at place: EventPlace, of activity: ActivityID
    ) throws(EventStoreError) -> EventInPlace
}

extension LogPage {
    /// Spreads activities evenly: the events of one are all in the same share.
    public func share(of index: Int, among count: Int) -> Int {
        Int(ActivityShares.spread(fingerprint(index)) % UInt64(count))
    }

    /// Its id and its source are empty.
    public func event(_ index: Int) throws(EventStoreError) -> RecordedEvent {
        try event(index, of: try activity(index))
    }
}

public enum ActivityShares {
    /// Makes numbers of fingerprints whose every bit depends on the whole id. As they are, ids that
    /// differ in their last two characters alone have all but the same bits in the middle, and of
    /// orders that are numbered a hundred in a row would be in one share.
    public static func spread(_ fingerprint: UInt64) -> UInt64 {
        (fingerprint &* 0x9E37_79B9_7F4A_7C15) >> 32
    }
}
