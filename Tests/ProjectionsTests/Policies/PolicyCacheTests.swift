import Domain
import Foundation
import Projections
import Testing

struct PolicyCacheTests {
    private func stored(_ version: Int) -> StoredPolicy {
        StoredPolicy(
            kind: "Match", version: version, fromPosition: Int64(version),
            document: PolicyDocument(rules: ["goal": "timely"]).encoded,
            putAt: Moment(unixSeconds: 0))
    }

    @Test func `a book is ready once it was made, until there are newer policies`() throws {
        let cache = PolicyCache()
        let tenant = TenantID(rawValue: 1)
        #expect(cache.ready(of: tenant, epoch: 0) == .builtIn)
        #expect(cache.ready(of: tenant, epoch: 1) == nil)
        let book = try cache.book(of: tenant, TenantPolicies([stored(1)]))
        #expect(cache.ready(of: tenant, epoch: 1) == book)
        #expect(cache.ready(of: TenantID(rawValue: 2), epoch: 1) == nil)
        #expect(cache.ready(of: tenant, epoch: 2) == nil)
        let newer = try cache.book(of: tenant, TenantPolicies([stored(1), stored(2)]))
        #expect(cache.ready(of: tenant, epoch: 2) == newer)
        #expect(newer.policy(ofKind: "Match", at: 2).version == 2)
    }
}
