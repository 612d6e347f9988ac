import Domain

/// What this node knows of the end of each tenant's log, so that an append need not look it up.
///
/// It is good only as long as nobody else writes to the log. So an append that relies on it says at
/// which position it believes the head to be, and comes to nothing when that is not so.
struct LogEnds {
    private var ends: [TenantID: LogEnd] = [:]
    private let tenantsMax: Int
    private let versionsMax: Int

    init(
        tenantsMax: Int = Limits.logEndsMax, versionsMax: Int = Limits.activityVersionsMax
    ) {
        self.tenantsMax = tenantsMax
        self.versionsMax = versionsMax
    }

    /// Nil unless an append may rely on it.
    func end(of tenant: TenantID) -> LogEnd? {
        ends[tenant].flatMap { $0.isOurs ? $0 : nil }
    }

    /// An append of this node was committed.
    /// - Parameters:
    ///   - before: the head's position until then.
    ///   - versions: last versions now, of the activities that were appended to.
    mutating func note(
        _ tenant: TenantID, before: Int64, after: Int64,
        versions: some Sequence<(ActivityID, Int64)>
    ) {
        let end = ends[tenant] ?? LogEnd(head: before)
        if end.head != before { end.forgetVersions() }
        end.isOurs = end.head == before
        end.head = after
        for (activity, version) in versions {
            end.note(version, of: activity, versionsMax: versionsMax)
        }
        if ends[tenant] == nil, ends.count >= tenantsMax {
            ends.removeAll(keepingCapacity: true)
        }
        ends[tenant] = end
    }

    /// Somebody else wrote, or nobody knows whether this node did.
    func doubt(_ tenant: TenantID) {
        guard let end = ends[tenant] else { return }
        end.isOurs = false
        end.forgetVersions()
    }
}

/// One log, as this node left it. A class, because it is changed in place while it is in use.
final class LogEnd {
    /// Position of the head after the last append of this node.
    fileprivate(set) var head: Int64
    /// Another node did not write between this node's last two appends.
    fileprivate(set) var isOurs = true
    /// Last versions of activities. Two generations: what is not asked for while `versions` fills
    /// up once is forgotten.
    private var versions: [ActivityID: Int64] = [:]
    private var olderVersions: [ActivityID: Int64] = [:]

    fileprivate init(head: Int64) {
        self.head = head
    }

    /// Nil when it is not known.
    func version(of activity: ActivityID) -> Int64? {
        versions[activity] ?? olderVersions[activity]
    }

    fileprivate func note(_ version: Int64, of activity: ActivityID, versionsMax: Int) {
        if versions.count >= versionsMax { (versions, olderVersions) = ([:], versions) }
        versions[activity] = version
    }

    fileprivate func forgetVersions() {
        (versions, olderVersions) = ([:], [:])
    }
}
