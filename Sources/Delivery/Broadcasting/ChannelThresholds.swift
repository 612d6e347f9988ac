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

    private let policies: PolicyStore
    private var known: [Key: Int?] = [:]

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
        if known.count >= Limits.policiesKeptMax { known.removeAll(keepingCapacity: true) }
        known[key] = .some(needed)
        return needed
    }
}
