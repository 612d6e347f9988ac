import Domain
import EventStore

/// When the followers of activities were counted: that takes long where there are many, and while
/// they come there is a fan-out each second.
///
/// A count that is put off is made up for, since nobody may come after the last follower.
actor FollowerCounts {
    struct Place: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    private var counted: [Place: Moment] = [:]
    /// Counts that were put off, and how many followers each takes.
    private var missed: [Place: Int] = [:]

    var hasMissed: Bool { !missed.isEmpty }

    /// False when the activity's followers have just been counted, which is then remembered; true
    /// notes that they are counted now.
    /// - Parameter needed: how many followers it takes.
    func isTimeToCount(_ claim: DeliveryClaim, needed: Int) -> Bool {
        let place = Place(tenant: claim.tenant, activity: claim.snapshot.activityID)
        guard isOver(place, at: claim.claimedAt) || missed.count >= Limits.activitiesCountedMax
        else {
            miss(place, needed: needed)
            return false
        }
        note(place, at: claim.claimedAt)
        return true
    }

    /// A count that was put off until now; notes that it is made up for.
    func nextMissed(at now: Moment) -> (place: Place, needed: Int)? {
        guard let (place, needed) = missed.first(where: { isOver($0.key, at: now) }) else {
            return nil
        }
        note(place, at: now)
        return (place, needed)
    }

    /// What could not be counted is still to be.
    func miss(_ place: Place, needed: Int) { missed[place] = needed }

    private func isOver(_ place: Place, at now: Moment) -> Bool {
        guard let last = counted[place] else { return true }
        return now.seconds(since: last) >= Limits.followersCountSecondsMin
    }

    private func note(_ place: Place, at now: Moment) {
        if counted.count >= Limits.activitiesCountedMax {
            counted.removeAll(keepingCapacity: true)
        }
        counted[place] = now
        missed[place] = nil
    }
}
