import Domain
import EventStore
import HTTP
import Locks

/// Streams and reads that wait for something, which a node holds for as long as they last. Each
/// tenant has its share of them.
final class HeldCalls: Sendable {
    final class Place: Sendable {
        private let calls: HeldCalls
        private let tenant: TenantID

        fileprivate init(_ calls: HeldCalls, _ tenant: TenantID) {
            self.calls = calls
            self.tenant = tenant
        }

        deinit { calls.giveBack(tenant) }
    }

    private let shares: Lock<TenantShares>
    private let retryAfter: Headers

    init(_ limits: APILimits, max: Int = Limits.heldCallsMax) {
        shares = Lock(TenantShares(capacity: max))
        retryAfter = limits.retryAfter
    }

    func count(of tenant: TenantID) -> Int { shares.withLock { $0.amount(of: tenant) } }

    func hold(_ tenant: TenantID) throws(ProblemDocument) -> Place {
        let own: Int? = shares.withLock { shares in
            guard shares.admit(1, of: tenant) else { return shares.amount(of: tenant) }
            shares.take(1, of: tenant)
            return nil
        }
        guard let own else { return Place(self, tenant) }
        throw ProblemDocument(
            .rateLimited,
            "The tenant holds \(own) streams and waiting reads of this node already, which is its "
                + "own share.",
            headers: retryAfter)
    }

    private func giveBack(_ tenant: TenantID) { shares.withLock { $0.giveBack(1, of: tenant) } }
}
