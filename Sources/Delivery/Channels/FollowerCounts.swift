import Domain
import EventStore

/// When the followers of activities were counted: that takes long where there are many, and while
/// they come there is a fan-out each second.
actor FollowerCounts {
    private struct Place: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    private var counted: [Place: Moment] = [:]

    /// False when the activity's followers have just been counted; true notes that they are now.
    func isTimeToCount(_ claim: DeliveryClaim) -> Bool {
        let place = Place(tenant: claim.tenant, activity: claim.snapshot.activityID)
        if let last = counted[place],
            claim.claimedAt.seconds(since: last) < Limits.followersCountSecondsMin
        {
            return false
        }
        if counted.count >= Limits.activitiesCountedMax {
            counted.removeAll(keepingCapacity: true)
        }
        counted[place] = claim.claimedAt
        return true
    }
}
