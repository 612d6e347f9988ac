public import Domain
import Foundation

// @unchecked: `lock` protects `books`.
/// Books of policies that were read before: a tenant's policies change once in a blue moon, and its
/// events are folded and sent a thousand times a second.
public final class PolicyCache: @unchecked Sendable {
    private let lock = NSLock()
    private var books: [TenantID: (epoch: Int, book: PolicyBook)] = [:]

    public init() {}

    /// - Parameter policies: all of the tenant's.
    /// - Throws: `PolicyError.undecodable` for what a newer version of the program has stored.
    public func book(
        of tenant: TenantID, _ policies: TenantPolicies
    ) throws(PolicyError) -> PolicyBook {
        guard policies.epoch > 0 else { return .builtIn }
        let known = lock.withLock { books[tenant] }
        if let known, known.epoch == policies.epoch { return known.book }
        let book = try ActivityCatalog.book(policies.all)
        lock.withLock {
            if books.count >= Limits.booksMax { books.removeAll(keepingCapacity: true) }
            books[tenant] = (policies.epoch, book)
        }
        return book
    }
}
