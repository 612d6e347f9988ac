import Domain
import EventLoop
import Postgres

/// Policies that this node has read, kept for as long as there are no newer ones.
final class StoredPolicyCache: Sendable {
    private let tenants = Lock([TenantID: TenantPolicies]())

    /// Those that a tenant's events from a position on are judged by, read only when there are new
    /// ones or earlier events. What is read may be newer than the events that it is read for, which
    /// does no harm: each policy says from where on it is in force.
    /// - Parameter policyRevision: how many there are by now.
    func read(
        _ connection: Connection, _ tenant: TenantID, policyRevision: Int, since position: Int64
    ) async throws(PostgresError) -> TenantPolicies {
        guard policyRevision > 0 else { return .none }
        let known = tenants.withLock { $0[tenant] }
        if let known, known.revision == policyRevision, known.since <= position { return known }
        let policies = TenantPolicies(
            revision: policyRevision, since: position,
            all: try await StoredPolicy.inForce(connection, tenant, position ... .max))
        tenants.withLock { tenants in
            let bytes = tenants.values.reduce(policies.all.documentBytes) {
                $0 + $1.all.documentBytes
            }
            if tenants.count >= Limits.hotTenantsMax || bytes > Limits.hotPolicyBytesMax {
                tenants.removeAll(keepingCapacity: true)
            }
            tenants[tenant] = policies
        }
        return policies
    }
}
