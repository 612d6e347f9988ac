import Domain
import Locks

/// Trying a policy takes a thread for a while: two at a time on a node, and one of each tenant.
final class WhatIfPlaces: Sendable {
    private let taken = Lock<Set<TenantID>>([])

    func take(_ tenant: TenantID) -> Bool {
        taken.withLock { tenants in
            tenants.count < Limits.whatIfAtOnceMax && tenants.insert(tenant).inserted
        }
    }

    func giveBack(_ tenant: TenantID) { taken.withLock { _ = $0.remove(tenant) } }
}
