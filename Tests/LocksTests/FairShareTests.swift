import Locks
import Testing

struct FairShareTests {
    private func takeAll(_ shares: inout FairShares<Int>, _ owners: [Int]) {
        while let owner = owners.first(where: { shares.admit(1, of: $0) }) {
            // In turns, as it happens when all want everything at once.
            for each in owners where shares.admit(1, of: each) { shares.take(1, of: each) }
            if !shares.admit(1, of: owner) { break }
        }
    }

    @Test(arguments: [1, 2, 3, 10])
    func `of owners that want everything each gets the same, and one share stays free`(
        _ count: Int
    ) {
        var shares = FairShares<Int>(capacity: 1_100)
        let owners = Array(1...count)
        takeAll(&shares, owners)
        let share = 1_100 / (count + 1)
        for owner in owners { #expect(abs(shares.amount(of: owner) - share) <= 1) }
        #expect(shares.admit(share - count, of: 99))
        for owner in owners { #expect(!shares.admit(1, of: owner)) }
    }

    @Test func `what was given back can be taken again, and nothing is left of it`() {
        var shares = FairShares<Int>(capacity: 10)
        shares.take(5, of: 1)
        #expect(!shares.admit(1, of: 1))
        shares.giveBack(2, of: 1)
        #expect(shares.admit(2, of: 1))
        shares.giveBack(3, of: 1)
        #expect(shares.total == 0)
        // More than there is room for, and alone.
        #expect(shares.admit(50, of: 3))
        shares.giveBack(1, of: 2)
        #expect(shares.total == 0)
    }

    @Test func `shares leave as many places as any one of them has`() {
        var shares = FairShares<Int>(capacity: 12)
        func takeAll(_ owner: Int) -> Int {
            var count = 0
            while shares.admit(1, of: owner) {
                shares.take(1, of: owner)
                count += 1
            }
            return count
        }
        #expect(takeAll(1) == 6)
        #expect(takeAll(2) == 3)
        #expect(takeAll(3) == 2)
        #expect(takeAll(4) == 1)
        #expect(takeAll(5) == 0)
        #expect(shares.total == 12)
        for _ in 0..<6 { shares.giveBack(1, of: 1) }
        #expect(shares.total == 6)
        #expect(takeAll(5) == 3)
    }
}
