public import Domain
public import EventStore

extension EventStore {
    /// A tenant's live snapshots, in order of activities' ids.
    public func snapshots(of tenant: TenantID) async throws(EventStoreError) -> [Snapshot] {
        try await reads.list(tenant, ActivityFilter(), nil, 1_000, Moment(unixSeconds: 0)).snapshots
    }
}
