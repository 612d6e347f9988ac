import Domain

/// What this node knows of each log's head, so that an append need not look it up.
///
/// It is right only as long as nobody else writes to the log. So an append that relies on it names
/// the position and the tag that it expects of the head, and records nothing if they are others.
/// Each append chooses a new tag: the position alone could be right by chance when the append
/// before, not yet answered, recorded nothing and another node wrote as many events.
struct LogHeadCache {
    private var heads: [TenantID: CachedLogHead] = [:]
    /// Versions that were added, of all tenants, since all of them aged.
    private var added = 0
    private let tenantsMax: Int
    private let versionsMax: Int
    private let allVersionsMax: Int

    /// - Parameters:
    ///   - versionsMax: of one tenant, in each half.
    ///   - allVersionsMax: of all tenants, in both halves.
    init(
        tenantsMax: Int = Limits.logHeadsMax, versionsMax: Int = Limits.activityVersionsMax,
        allVersionsMax: Int = Limits.allActivityVersionsMax
    ) {
        self.tenantsMax = tenantsMax
        self.versionsMax = versionsMax
        self.allVersionsMax = allVersionsMax
    }

    /// The head, if an append may rely on it.
    func head(of tenant: TenantID) -> CachedLogHead? {
        heads[tenant].flatMap { $0.isSoleWriter ? $0 : nil }
    }

    /// Notes that an append of this node that relied on nothing was committed.
    /// - Parameters:
    ///   - before: the head's position until then.
    ///   - versions: last versions now, of the activities that were appended to.
    mutating func note(
        _ tenant: TenantID, before: Int64, after: Int64, tag: Int64,
        versions: some Sequence<(ActivityID, Int64)>
    ) {
        let head = heads[tenant] ?? CachedLogHead(position: before, versionsMax: versionsMax)
        head.forgetVersions()
        head.isSoleWriter = head.position == before
        (head.position, head.tag) = (after, tag)
        if heads[tenant] == nil, heads.count >= tenantsMax {
            heads.removeAll(keepingCapacity: true)
        }
        heads[tenant] = head
        for (activity, version) in versions { note(version, of: activity, in: head) }
    }

    /// Notes an append that relies on the head as it is sent: what follows relies on its success.
    /// - Parameters:
    ///   - versions: last versions afterwards, of the activities whose version is known.
    ///   - lookedUp: the others.
    mutating func expect(
        _ tenant: TenantID, after: Int64, tag: Int64,
        versions: some Sequence<(ActivityID, Int64)>, lookedUp: [ActivityID]
    ) {
        guard let head = head(of: tenant) else { return }
        (head.position, head.tag) = (after, tag)
        for (activity, version) in versions { note(version, of: activity, in: head) }
        for activity in lookedUp { head.lookUps[activity, default: 0] += 1 }
    }

    /// Notes that an expected append was committed, and what it found out.
    mutating func confirm(_ tenant: TenantID, versions: some Sequence<(ActivityID, Int64)>) {
        guard let head = head(of: tenant) else { return }
        for (activity, version) in versions {
            let others = head.lookUps[activity, default: 1] - 1
            head.lookUps[activity] = others > 0 ? others : nil
            // A later append that looks it up as well will know better.
            if others <= 0 { note(version, of: activity, in: head) }
        }
    }

    /// Forgets, of all tenants together, what was not noted lately: it is not in use.
    private mutating func note(_ version: Int64, of activity: ActivityID, in head: CachedLogHead) {
        guard head.versions.set(activity, version) == nil else { return }
        added += 1
        guard added >= allVersionsMax / 2 else { return }
        added = 0
        for head in heads.values { head.versions.age() }
    }

    /// Forgets what is known: somebody else wrote, or nobody knows whether this node did.
    func invalidate(_ tenant: TenantID) {
        guard let head = heads[tenant] else { return }
        head.isSoleWriter = false
        head.forgetVersions()
    }
}

/// A log's head as this node left it, or will have left it. A class, because it is changed in
/// place while it is in use.
final class CachedLogHead {
    /// The position after the last append of this node.
    fileprivate(set) var position: Int64
    /// The tag of that append.
    fileprivate(set) var tag: Int64 = 0
    /// Another node did not write between this node's last two appends.
    fileprivate(set) var isSoleWriter = true
    /// Last versions of activities.
    fileprivate var versions: AgingCache<ActivityID, Int64>
    /// How many appends under way look an activity's version up; none of them is in `versions`.
    fileprivate var lookUps: [ActivityID: Int] = [:]

    fileprivate init(position: Int64, versionsMax: Int) {
        self.position = position
        versions = AgingCache(halfMax: versionsMax)
    }

    /// Nil when it is not known.
    func version(of activity: ActivityID) -> Int64? {
        guard lookUps.isEmpty || lookUps[activity] == nil else { return nil }
        return versions[activity]
    }

    fileprivate func forgetVersions() {
        versions.removeAll()
        lookUps = [:]
    }
}
