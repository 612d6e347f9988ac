public import Domain
import Locks

/// Books of policies that were read before: a tenant's policies change once in a blue moon, and its
/// events are folded and sent a thousand times a second.
public final class PolicyBookCache: Sendable {
    private struct Made {
        var revision: Int
        var since: Int64
        /// Bytes of the documents that it is made of.
        var bytes: Int
        var book: PolicyBook
    }

    private let tenants = Lock([TenantID: Made]())

    public init() {}

    /// - Parameter policies: those that the events are judged by for which the book is.
    /// - Throws: `PolicyError.undecodable` for what a newer version of the program has stored.
    public func book(
        of tenant: TenantID, _ policies: TenantPolicies
    ) throws(PolicyError) -> PolicyBook {
        guard policies.revision > 0 else { return .builtIn }
        let known = tenants.withLock { $0[tenant] }
        if let known, known.revision == policies.revision, known.since <= policies.since {
            return known.book
        }
        let made = Made(
            revision: policies.revision, since: policies.since, bytes: policies.all.documentBytes,
            book: try ActivityCatalog.standard.book(policies.all))
        tenants.withLock { tenants in
            let bytes = tenants.values.reduce(made.bytes) { $0 + $1.bytes }
            if tenants.count >= Limits.booksMax || bytes > Limits.bookBytesMax {
                tenants.removeAll(keepingCapacity: true)
            }
            tenants[tenant] = made
        }
        return made.book
    }
}
