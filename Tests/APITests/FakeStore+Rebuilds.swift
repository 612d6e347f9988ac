import EventStore

extension RebuildStore {
    /// The API has nothing to do with rebuilds.
    static let none = RebuildStore(
        begin: { _, _, _ async throws(EventStoreError) in throw .unavailable(detail: "no rebuilds")
        },
        list: { [] }, setPaused: { _, _ in false }, cancel: { _ in false }, take: { _, _ in nil },
        outdated: { _ in [] })
}
