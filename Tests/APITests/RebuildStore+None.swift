import EventStore

extension RebuildStore {
    /// The API rebuilds nothing.
    static let none = RebuildStore(
        begin: { _, _ async throws(EventStoreError) in throw .schema(detail: "not faked") },
        list: { [] }, setPaused: { _, _ in false }, cancel: { _ in false }, take: { _ in nil },
        outdated: { _ in [] })
}
