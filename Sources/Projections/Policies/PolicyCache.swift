public import Domain
import Locks

/// Books of policies that were read before: a tenant's policies change once in a blue moon, and its
/// events are folded and sent a thousand times a second.
public final class PolicyCache: Sendable {
    private let books = Lock([TenantID: (epoch: Int, book: PolicyBook)]())

    public init() {}

    /// The tenant's book when it need not be made.
    /// - Parameter epoch: how many policies there are by now.
    public func ready(of tenant: TenantID, epoch: Int) -> PolicyBook? {
        guard epoch > 0 else { return .builtIn }
        let known = books.withLock { $0[tenant] }
        return known?.epoch == epoch ? known?.book : nil
    }

    /// - Parameter policies: all of the tenant's.
    /// - Throws: `PolicyError.undecodable` for what a newer version of the program has stored.
    public func book(
        of tenant: TenantID, _ policies: TenantPolicies
    ) throws(PolicyError) -> PolicyBook {
        if let ready = ready(of: tenant, epoch: policies.epoch) { return ready }
        let book = try ActivityCatalog.standard.book(policies.all)
        books.withLock { books in
            if books.count >= Limits.booksMax { books.removeAll(keepingCapacity: true) }
            books[tenant] = (policies.epoch, book)
        }
        return book
    }
}
