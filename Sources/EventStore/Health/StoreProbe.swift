/// Calls that leave nothing behind, made to find out whether the real ones would work.
public struct StoreProbe: Sendable {
    /// Appends to a log that is gone with the transaction, and commits something that is no row: it
    /// takes the functions, tables, indexes and triggers of an append, room on the disk, and the
    /// synchronous standbys if there are to be any.
    public var append: @Sendable () async throws(EventStoreError) -> Void = {}
    /// Looks for something to fold, and takes nothing.
    public var fold: @Sendable () async throws(EventStoreError) -> Void = {}

    /// All is well, as with a store in memory.
    public init() {}
}
