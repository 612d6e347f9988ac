import Domain
import Foundation
import Projections
import Testing

struct PolicyBookCacheTests {
    private func stored(_ version: Int) -> StoredPolicy {
        StoredPolicy(
            kind: "Match", version: version, fromPosition: Int64(version),
            document: PolicyDocument(rules: ["goal": "timely"]).encoded,
            putAt: Moment(unixSeconds: 0))
    }

    @Test func `a book is made once, until there are newer policies or earlier events`() throws {
        let cache = PolicyBookCache()
        let tenant = TenantID(rawValue: 1)
        #expect(try cache.book(of: tenant, .none) == .builtIn)
        func made(_ tenant: TenantID, _ policies: TenantPolicies) throws -> [Int] {
            let book = try cache.book(of: tenant, policies)
            return (1...3).map { book.policy(ofKind: "Match", at: $0).version }
        }
        let second = TenantPolicies(revision: 2, since: 2, all: [stored(2)])
        #expect(try made(tenant, second) == [0, 2, 2])
        // What is given is not looked at where the book is there.
        #expect(try made(tenant, TenantPolicies(revision: 2, since: 3, all: [])) == [0, 2, 2])
        #expect(try made(TenantID(rawValue: 2), TenantPolicies([stored(1)])) == [1, 1, 1])
        let all = TenantPolicies(revision: 2, since: 1, all: [stored(1), stored(2)])
        #expect(try made(tenant, all) == [1, 2, 2])
        #expect(try made(tenant, TenantPolicies(revision: 2, since: 2, all: [])) == [1, 2, 2])
        let newer = TenantPolicies(revision: 3, since: 3, all: [stored(3)])
        #expect(try made(tenant, newer) == [0, 0, 3])
    }
}
