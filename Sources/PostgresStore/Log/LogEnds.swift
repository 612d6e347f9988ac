import Domain

/// What this node knows of the end of each tenant's log, so that an append need not look it up.
///
/// It is good only as long as nobody else writes to the log. So an append that relies on it names
/// the position and the tag that it believes the head to have, and comes to nothing when that is
/// not so. Each append chooses a new tag: the position alone could be right by chance when the
/// append before, not yet answered, came to nothing and another node wrote as many events.
struct LogEnds {
    private var ends: [TenantID: LogEnd] = [:]
    /// Versions that were added, of all tenants, since all of them were put with the older ones.
    private var added = 0
    private let tenantsMax: Int
    private let versionsMax: Int
    private let allVersionsMax: Int

    /// - Parameters:
    ///   - versionsMax: of one tenant, in each generation.
    ///   - allVersionsMax: of all tenants, in both generations.
    init(
        tenantsMax: Int = Limits.logEndsMax, versionsMax: Int = Limits.activityVersionsMax,
        allVersionsMax: Int = Limits.allActivityVersionsMax
    ) {
        self.tenantsMax = tenantsMax
        self.versionsMax = versionsMax
        self.allVersionsMax = allVersionsMax
    }

    /// Nil unless an append may rely on it.
    func end(of tenant: TenantID) -> LogEnd? {
        ends[tenant].flatMap { $0.isOurs ? $0 : nil }
    }

    /// An append of this node that relied on nothing was committed.
    /// - Parameters:
    ///   - before: the head's position until then.
    ///   - versions: last versions now, of the activities that were appended to.
    mutating func note(
        _ tenant: TenantID, before: Int64, after: Int64, tag: Int64,
        versions: some Sequence<(ActivityID, Int64)>
    ) {
        let end = ends[tenant] ?? LogEnd(head: before)
        end.forgetVersions()
        end.isOurs = end.head == before
        (end.head, end.tag) = (after, tag)
        if ends[tenant] == nil, ends.count >= tenantsMax {
            ends.removeAll(keepingCapacity: true)
        }
        ends[tenant] = end
        for (activity, version) in versions { note(version, of: activity, in: end) }
    }

    /// An append that relies on the end is being sent: what follows relies on its success.
    /// - Parameters:
    ///   - versions: last versions afterwards, of the activities whose version is known.
    ///   - lookedUp: the others.
    mutating func expect(
        _ tenant: TenantID, after: Int64, tag: Int64,
        versions: some Sequence<(ActivityID, Int64)>, lookedUp: [ActivityID]
    ) {
        guard let end = end(of: tenant) else { return }
        (end.head, end.tag) = (after, tag)
        for (activity, version) in versions { note(version, of: activity, in: end) }
        for activity in lookedUp { end.lookUps[activity, default: 0] += 1 }
    }

    /// The append that was expected to succeed did, and this is what it found out.
    mutating func fulfil(_ tenant: TenantID, versions: some Sequence<(ActivityID, Int64)>) {
        guard let end = end(of: tenant) else { return }
        for (activity, version) in versions {
            let others = end.lookUps[activity, default: 1] - 1
            end.lookUps[activity] = others > 0 ? others : nil
            // A later append that looks it up as well will know better.
            if others <= 0 { note(version, of: activity, in: end) }
        }
    }

    /// Of all tenants together only what was noted lately stays: what is in use.
    private mutating func note(_ version: Int64, of activity: ActivityID, in end: LogEnd) {
        guard end.note(version, of: activity, versionsMax: versionsMax) else { return }
        added += 1
        guard added >= allVersionsMax / 2 else { return }
        added = 0
        for end in ends.values { end.age() }
    }

    /// Somebody else wrote, or nobody knows whether this node did.
    func doubt(_ tenant: TenantID) {
        guard let end = ends[tenant] else { return }
        end.isOurs = false
        end.forgetVersions()
    }
}

/// One log, as this node left it or will have left it. A class, because it is changed in place
/// while it is in use.
final class LogEnd {
    /// Position of the head after the last append of this node.
    fileprivate(set) var head: Int64
    /// Of that append.
    fileprivate(set) var tag: Int64 = 0
    /// Another node did not write between this node's last two appends.
    fileprivate(set) var isOurs = true
    /// Last versions of activities. Two generations: what is not noted again between one time that
    /// `versions` becomes the older one and the next is forgotten.
    private var versions: [ActivityID: Int64] = [:]
    private var olderVersions: [ActivityID: Int64] = [:]
    /// How many appends under way look an activity's version up; none of them is in `versions`.
    fileprivate var lookUps: [ActivityID: Int] = [:]

    fileprivate init(head: Int64) {
        self.head = head
    }

    /// Nil when it is not known.
    func version(of activity: ActivityID) -> Int64? {
        guard lookUps.isEmpty || lookUps[activity] == nil else { return nil }
        return versions[activity] ?? olderVersions[activity]
    }

    /// - Returns: whether it takes room: it was not among the newer ones.
    fileprivate func note(_ version: Int64, of activity: ActivityID, versionsMax: Int) -> Bool {
        if versions.count >= versionsMax { age() }
        return versions.updateValue(version, forKey: activity) == nil
    }

    fileprivate func age() {
        (versions, olderVersions) = ([:], versions)
    }

    fileprivate func forgetVersions() {
        (versions, olderVersions, lookUps) = ([:], [:], [:])
    }
}
