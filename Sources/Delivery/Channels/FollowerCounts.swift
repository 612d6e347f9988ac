import Domain
import EventStore

/// When the followers of activities were counted: that takes long where there are many, and while
/// they come there is a fan-out each second.
///
/// A count that is put off is made up for, since nobody may come after the last follower.
actor FollowerCounts {
    struct Key: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    private var counted: [Key: Moment] = [:]
    /// Counts that were put off or have failed, and how many followers each takes.
    private var missed: [Key: Int] = [:]
    /// Those whose last count failed, also while one is made up for.
    private var failed: Set<Key> = []

    var hasMissed: Bool { !missed.isEmpty }

    /// False when the activity's followers have just been counted, which is then remembered; true
    /// notes that they are counted now. After a count that failed none delays a fan-out again
    /// before one was made up for, however long that takes.
    /// - Parameter needed: how many followers it takes.
    func isTimeToCount(_ key: Key, needed: Int, at now: Moment) -> Bool {
        guard !failed.contains(key),
            isOver(key, at: now) || missed.count >= Limits.activitiesCountedMax
        else {
            missed[key] = needed
            return false
        }
        note(key, at: now)
        return true
    }

    /// A count that was put off until now; notes that it is made up for.
    func nextMissed(at now: Moment) -> (key: Key, needed: Int)? {
        guard let (key, needed) = missed.first(where: { isOver($0.key, at: now) }) else {
            return nil
        }
        note(key, at: now)
        return (key, needed)
    }

    /// One that was made up for has not failed.
    func clearFailure(_ key: Key) { failed.remove(key) }

    /// What could not be counted is still to be, but not at once.
    func fail(_ key: Key, needed: Int, at now: Moment) {
        note(key, at: now)
        guard missed.count < Limits.activitiesCountedMax else { return clearFailure(key) }
        missed[key] = needed
        failed.insert(key)
    }

    private func isOver(_ key: Key, at now: Moment) -> Bool {
        guard let last = counted[key] else { return true }
        return now.seconds(since: last) >= Limits.followersCountSecondsMin
    }

    private func note(_ key: Key, at now: Moment) {
        if counted.count >= Limits.activitiesCountedMax {
            counted.removeAll(keepingCapacity: true)
        }
        counted[key] = now
        missed[key] = nil
    }
}
