import Domain
import EventStore

/// Activities in order of their last changes, of which some are no events.
extension FakeStore: ProjectionStore {
    func foldNext(
        _: TenantID?, _: Int, _: @Sendable (FoldBatch) -> FoldResult
    ) -> FoldedBatch? { nil }

    func changes(
        _ tenant: TenantID, after place: ActivityChange.Place, _ limit: Int, isFollowing: Bool
    ) throws(EventStoreError) -> ActivityChanges {
        followings.append(isFollowing)
        var later = Array(try changes(of: tenant).drop { $0.place <= place }.prefix(limit))
        let decisions = try decided(tenant, later.compactMap(\.snapshot))
        for index in later.indices { later[index].decision = decisions[later[index].activityID] }
        return ActivityChanges(later, generation: 1)
    }

    /// All, without their decisions.
    func changes(of tenant: TenantID) throws(EventStoreError) -> [ActivityChange] {
        try all(of: tenant).map { snapshot in
            let id = snapshot.activityID
            var change = ActivityChange(
                place: .init(position: snapshot.position), activityID: id, snapshot: snapshot)
            if let notice = notices[Key(tenant: tenant, activity: id)], notice > change.place {
                change.place = notice
                change.noticedAt = Self.now
            }
            return change
        }.sorted { $0.place < $1.place }
    }
}
