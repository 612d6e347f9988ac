public import Domain

/// A live snapshot as the database gave it out: decoded where it does not say what was folded,
/// which it mostly does.
public protocol StoredSnapshot: Sendable {
    var activityID: ActivityID { get }
    var version: Int64 { get }
    var position: Int64 { get }
    var isFaulted: Bool { get }

    /// Whether it says just what was folded, byte by byte. One of other bytes may still mean the
    /// same.
    /// - Parameter withDispatch: false where the dispatch machine stands elsewhere.
    func says(_ folded: Snapshot, withDispatch: Bool) throws(EventStoreError) -> Bool
    func snapshot() throws(EventStoreError) -> Snapshot
    /// To be kept for long: a row keeps in memory all that were read with it.
    func keeping() throws(EventStoreError) -> any StoredSnapshot
}
