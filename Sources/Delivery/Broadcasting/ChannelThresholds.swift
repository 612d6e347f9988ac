import Domain
import EventStore
import PushDispatch

/// From how many followers on an activity gets channels, by its tenant's policy.
///
/// Versions of policies never change, so each is read once.
actor ChannelThresholds {
    private struct Key: Hashable {
        var tenant: TenantID
        var kind: String
        var version: Int
    }

    private struct Place: Hashable {
        var tenant: TenantID
        var activity: ActivityID
    }

    private let policies: PolicyStore
    private var known: [Key: Int?] = [:]
    private var counted: [Place: Moment] = [:]

    init(_ policies: PolicyStore) { self.policies = policies }

    /// Nil when their number makes no channel.
    func followersNeeded(_ claim: DeliveryClaim) async throws(EventStoreError) -> Int? {
        let kind = claim.snapshot.kind
        // What the newest decision was made by.
        let version = (claim.pending.last ?? claim.lastSettled)?.policyVersion ?? 0
        let key = Key(tenant: claim.tenant, kind: kind, version: version)
        if let needed = known[key] { return needed }
        var stored: StoredPolicy?
        if version > 0 {
            stored = try await policies.all(claim.tenant).first {
                $0.kind == kind && $0.version == version
            }
        }
        let needed = ChannelChoice.followersNeeded(ofKind: kind, stored)
        if known.count >= Limits.thresholdsKeptMax { known.removeAll(keepingCapacity: true) }
        known[key] = .some(needed)
        return needed
    }

    /// False when the activity's followers have just been counted: that takes long where there are
    /// many, and while they come there is a round each second.
    func isTimeToCount(_ claim: DeliveryClaim) -> Bool {
        let place = Place(tenant: claim.tenant, activity: claim.snapshot.activityID)
        if let last = counted[place],
            claim.claimedAt.seconds(since: last) < Limits.followersCountSecondsMin
        {
            return false
        }
        if counted.count >= Limits.thresholdsKeptMax { counted.removeAll(keepingCapacity: true) }
        counted[place] = claim.claimedAt
        return true
    }
}
