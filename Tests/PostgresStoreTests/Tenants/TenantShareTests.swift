import Domain
import EventStore
import Testing

@testable import PostgresStore

private let greedy = TenantID(rawValue: 1)
private let greedier = TenantID(rawValue: 2)
private let small = TenantID(rawValue: 3)

struct TenantShareTests {
    private func takeAll(_ shares: inout TenantShares, _ tenants: [TenantID]) {
        while let tenant = tenants.first(where: { shares.admit(1, of: $0) }) {
            // In turns, as it happens when all want everything at once.
            for each in tenants where shares.admit(1, of: each) { shares.take(1, of: each) }
            if !shares.admit(1, of: tenant) { break }
        }
    }

    @Test(arguments: [1, 2, 3, 10])
    func `of tenants that want everything each gets the same, and one share stays free`(
        _ count: Int
    ) {
        var shares = TenantShares(capacity: 1_100)
        let tenants = (1...count).map { TenantID(rawValue: Int32($0)) }
        takeAll(&shares, tenants)
        let share = 1_100 / (count + 1)
        for tenant in tenants { #expect(abs(shares.amount(of: tenant) - share) <= 1) }
        #expect(shares.admit(share - count, of: TenantID(rawValue: 99)))
        for tenant in tenants { #expect(!shares.admit(1, of: tenant)) }
    }

    @Test func `what was given back can be taken again, and nothing is left of it`() {
        var shares = TenantShares(capacity: 10)
        shares.take(5, of: greedy)
        #expect(!shares.admit(1, of: greedy))
        shares.giveBack(2, of: greedy)
        #expect(shares.admit(2, of: greedy))
        shares.giveBack(3, of: greedy)
        #expect(shares.total == 0)
        // More than there is room for, and alone.
        #expect(shares.admit(50, of: small))
        shares.giveBack(1, of: greedier)
        #expect(shares.total == 0)
    }
}
