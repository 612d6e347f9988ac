import Domain
import EventStore
import HTTP
import Locks

/// Room of a node that its tenants reserve, each up to its share of it.
final class ReservedShares: Sendable {
    /// An amount that is reserved for as long as this lives.
    final class Reservation: Sendable {
        private let shares: ReservedShares
        private let tenant: TenantID
        private let amount: Int

        fileprivate init(_ shares: ReservedShares, _ tenant: TenantID, _ amount: Int) {
            (self.shares, self.tenant, self.amount) = (shares, tenant, amount)
        }

        deinit { shares.taken.withLock { $0.giveBack(amount, of: tenant) } }
    }

    private let taken: Lock<FairShares<TenantID>>

    init(capacity: Int) { taken = Lock(FairShares<TenantID>(capacity: capacity)) }

    func amount(of tenant: TenantID) -> Int { taken.withLock { $0.amount(of: tenant) } }

    /// - Returns: nil when the tenant has its share already.
    func reserve(_ amount: Int, of tenant: TenantID) -> Reservation? {
        let isReserved = taken.withLock { taken in
            guard taken.admit(amount, of: tenant) else { return false }
            taken.take(amount, of: tenant)
            return true
        }
        return isReserved ? Reservation(self, tenant, amount) : nil
    }
}

extension ReservedShares {
    /// A stream or a read that waits for something: it takes a place for as long as it lasts.
    func reserveCall(
        of tenant: TenantID, _ limits: APILimits
    ) throws(ProblemDocument) -> Reservation {
        if let reservation = reserve(1, of: tenant) { return reservation }
        throw ProblemDocument(
            .rateLimited,
            "The tenant has \(amount(of: tenant)) streams and waiting reads of this node "
                + "already, which is its own share.",
            headers: limits.retryAfter)
    }
}
