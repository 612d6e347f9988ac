import Domain
import EventStore

/// The API has nothing to do with rebuilds.
struct FakeRebuildStore: RebuildStore {
    func begin(_: TenantID, _: String, _: [String: Int]) async throws(EventStoreError)
        -> RebuildProgress
    { throw .unavailable(detail: "no rebuilds") }

    func list() async throws(EventStoreError) -> [RebuildProgress] { [] }

    func setPaused(_: TenantID, _: Bool) async throws(EventStoreError) -> Bool { false }

    func cancel(_: TenantID) async throws(EventStoreError) -> Bool { false }

    func take(_: TenantID?, _: [String: Int]) async throws(EventStoreError) -> (any RebuildSession)?
    {
        nil
    }

    func outdated(_: [String: Int]) async throws(EventStoreError) -> [TenantID] { [] }
}
