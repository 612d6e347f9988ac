/// Sessions of Islet's whose process stands still.
///
/// Postgres ends by itself what rests between two statements: see `Connection.beginLease`. It has
/// nothing for a session that waits for its process in the middle of one: for the rest of what the
/// process was sending, or for room to answer into. Such a session keeps its locks for as long as
/// the process stands still, so the other nodes end it.
public struct SessionStore: Sendable {
    /// Looks once, and ends those that the last few looks have found in the same place.
    /// - Returns: how many.
    public var endStuck: @Sendable () async throws(EventStoreError) -> Int

    public init(endStuck: @escaping @Sendable () async throws(EventStoreError) -> Int) {
        self.endStuck = endStuck
    }

    public static let none = SessionStore { 0 }
}
