import Domain
import EventLoop
import EventStore
import Postgres

/// Policies that this node has read, kept for as long as there are no newer ones.
final class PolicyCache: Sendable {
    private let tenants = Lock([TenantID: TenantPolicies]())

    /// A tenant's, read only when there are new ones. What is read then may be newer than the
    /// events that it is read for, which does no harm: each policy says from where on it holds.
    /// - Parameter epoch: how many there are by now.
    func read(
        _ connection: Connection, _ tenant: TenantID, epoch: Int
    ) async throws(PostgresError) -> TenantPolicies {
        guard epoch > 0 else { return .none }
        if let known = tenants.withLock({ $0[tenant] }), known.epoch == epoch { return known }
        let all = try await connection.query(StoredPolicy.read, [.tenant(tenant)])
            .decoded(StoredPolicy.init)
        let policies = TenantPolicies(all)
        tenants.withLock { tenants in
            if tenants.count >= Limits.hotTenantsMax { tenants.removeAll(keepingCapacity: true) }
            tenants[tenant] = policies
        }
        return policies
    }
}
