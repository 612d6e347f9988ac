import Domain
import EventStore
import HTTP
import Locks

/// What a node holds for its tenants, each of which has its share of it.
final class HeldShares: Sendable {
    /// An amount that is held for as long as this lives.
    final class Reservation: Sendable {
        private let shares: HeldShares
        private let tenant: TenantID
        private let amount: Int

        fileprivate init(_ shares: HeldShares, _ tenant: TenantID, _ amount: Int) {
            (self.shares, self.tenant, self.amount) = (shares, tenant, amount)
        }

        deinit { shares.taken.withLock { $0.giveBack(amount, of: tenant) } }
    }

    private let taken: Lock<FairShares<TenantID>>

    init(capacity: Int) { taken = Lock(FairShares<TenantID>(capacity: capacity)) }

    func amount(of tenant: TenantID) -> Int { taken.withLock { $0.amount(of: tenant) } }

    /// - Returns: nil when the tenant has its share already.
    func hold(_ amount: Int, of tenant: TenantID) -> Reservation? {
        let isHeld = taken.withLock { taken in
            guard taken.admit(amount, of: tenant) else { return false }
            taken.take(amount, of: tenant)
            return true
        }
        return isHeld ? Reservation(self, tenant, amount) : nil
    }
}

extension HeldShares {
    /// A stream or a read that waits for something: a node holds it for as long as it lasts.
    func holdCall(of tenant: TenantID, _ limits: APILimits) throws(ProblemDocument) -> Reservation {
        if let reservation = hold(1, of: tenant) { return reservation }
        throw ProblemDocument(
            .rateLimited,
            "The tenant holds \(amount(of: tenant)) streams and waiting reads of this node "
                + "already, which is its own share.",
            headers: limits.retryAfter)
    }
}
