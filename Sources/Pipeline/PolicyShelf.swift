import Domain
import EventStore
import Foundation
import Projections

/// Books of policies that were read before: a tenant's policies change once in a blue moon, and its
/// events are folded a thousand times a second.
// @unchecked: `lock` protects `books`.
final class PolicyShelf: @unchecked Sendable {
    private let lock = NSLock()
    private var books: [TenantID: (epoch: Int, book: PolicyBook)] = [:]

    /// - Throws: `PolicyError.undecodable` for what a newer version of the program has stored.
    func book(of tenant: TenantID, _ policies: TenantPolicies) throws(PolicyError) -> PolicyBook {
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
