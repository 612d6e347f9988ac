/// Calls that leave nothing behind, made to find out whether the real ones would work.
public struct StoreProbe: Sendable {
    /// Appends to a log that is gone with the transaction, and commits something that is no row: it
    /// takes the functions, tables, indexes and triggers of an append, room on the disk, and the
    /// synchronous standbys if there are to be any.
    public var append: @Sendable () async throws(EventStoreError) -> Void
    /// Looks for something to fold, and takes nothing.
    public var fold: @Sendable () async throws(EventStoreError) -> Void

    public init(
        append: @escaping @Sendable () async throws(EventStoreError) -> Void,
        fold: @escaping @Sendable () async throws(EventStoreError) -> Void
    ) {
        self.append = append
        self.fold = fold
    }

    /// All is well with a store in memory.
    public static let none = StoreProbe(
        append: { () async throws(EventStoreError) in },
        fold: { () async throws(EventStoreError) in })
}
