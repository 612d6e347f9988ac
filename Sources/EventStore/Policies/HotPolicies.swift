import Domain
import EventLoop

/// Policies that this node has read, kept for as long as there are no newer ones.
final class HotPolicies: Sendable {
    private let tenants = Lock([TenantID: TenantPolicies]())

    /// Nil when they are not known, or as of another epoch.
    func find(_ tenant: TenantID, epoch: Int) -> TenantPolicies? {
        tenants.withLock { $0[tenant].flatMap { $0.epoch == epoch ? $0 : nil } }
    }

    func keep(_ policies: TenantPolicies, of tenant: TenantID) {
        tenants.withLock { tenants in
            if tenants.count >= Limits.hotTenantsMax { tenants.removeAll(keepingCapacity: true) }
            tenants[tenant] = policies
        }
    }
}
