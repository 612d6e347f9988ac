import Domain
import Foundation

/// Trying a policy takes a thread for a while: two at a time on a node, and one of each tenant.
///
/// `@unchecked Sendable`: `lock` protects `tenants`.
final class WhatIfPlaces: @unchecked Sendable {
    private let lock = NSLock()
    private var tenants: Set<TenantID> = []

    func take(_ tenant: TenantID) -> Bool {
        lock.withLock {
            tenants.count < Limits.whatIfAtOnceMax && tenants.insert(tenant).inserted
        }
    }

    func giveBack(_ tenant: TenantID) { lock.withLock { _ = tenants.remove(tenant) } }
}
