public import Domain
public import EventStore

extension EventStore {
    /// A tenant's live snapshots, in order of activities' ids.
    public func snapshots(of tenant: TenantID) async throws(EventStoreError) -> [Snapshot] {
        try await reads.list(tenant, ActivityFilter(), nil, 1_000, Moment(unixSeconds: 0)).snapshots
    }

    /// How many phones of an activity are still sent pushes.
    public func phoneCount(_ tenant: TenantID, _ activity: ActivityID)
        async throws(EventStoreError) -> Int
    { try await board.phones(tenant, activity, 0, 10_000).count }
}
