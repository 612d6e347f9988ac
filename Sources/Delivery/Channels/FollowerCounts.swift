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
    /// Counts that were put off or have failed, and how many followers each takes.
    private var missed: [Place: Int] = [:]
    /// Those whose last count failed, also while one is made up for.
    private var failed: Set<Place> = []

    var hasMissed: Bool { !missed.isEmpty }

    /// False when the activity's followers have just been counted, which is then remembered; true
    /// notes that they are counted now. After a count that failed none holds up a fan-out again
    /// before one was made up for, however long that takes.
    /// - Parameter needed: how many followers it takes.
    func isTimeToCount(_ place: Place, needed: Int, at now: Moment) -> Bool {
        guard !failed.contains(place),
            isOver(place, at: now) || missed.count >= Limits.activitiesCountedMax
        else {
            missed[place] = needed
            return false
        }
        note(place, at: now)
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

    /// One that was made up for has not failed.
    func forgive(_ place: Place) { failed.remove(place) }

    /// What could not be counted is still to be, but not at once.
    func fail(_ place: Place, needed: Int, at now: Moment) {
        note(place, at: now)
        guard missed.count < Limits.activitiesCountedMax else { return forgive(place) }
        missed[place] = needed
        failed.insert(place)
    }

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
