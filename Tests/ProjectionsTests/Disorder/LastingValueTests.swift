import Domain
import Foundation
import Projections
import TestSupport
import Testing

struct LastingValueTests {
    private typealias Reported = (value: Int, at: Moment)

    private static func at(_ second: Int) -> Moment {
        Story.start.adding(seconds: Double(second))
    }

    private func lasting(_ reports: [Reported]) -> LastingValue<Int>? {
        var lasting: LastingValue<Int>?
        for report in reports { lasting.offer(report.value, at: report.at) }
        return lasting
    }

    @Test(arguments: 0..<200)
    func `a value stands since the first of its last reports, in any order of arrival`(
        seed: UInt64
    ) {
        var random = RandomData(seed: seed)
        var reports: [Reported] = []
        for second in 0...random.below(12) { reports.append((random.below(3), Self.at(second))) }
        let newest = reports.last?.value
        let run = reports.reversed().prefix { $0.value == newest }
        let inOrder = lasting(reports)
        #expect(inOrder?.since == run.last?.at)
        #expect(inOrder?.earliest == reports.first?.at)
        for _ in 0..<5 {
            let repeated = reports + [random.pick(reports), random.pick(reports)]
            let arrived = random.shuffled(repeated)
            #expect(lasting(arrived) == inOrder)
        }
    }

    @Test(arguments: 0..<200)
    func `reports of one moment end in the same, in any order of arrival`(seed: UInt64) {
        var random = RandomData(seed: seed)
        var reports: [Reported] = []
        for _ in 0...random.below(9) {
            reports.append((random.below(3), Self.at(random.below(5))))
        }
        let expected = lasting(reports)
        for _ in 0..<5 {
            let arrived = random.shuffled(reports)
            #expect(lasting(arrived) == expected)
        }
    }

    @Test func `of many reports after another value the newest are known, in any order`() {
        var random = RandomData(seed: 1)
        var reports: [Reported] = []
        for second in 1...300 { reports.append((1, Self.at(second))) }
        // A value that nobody changed stands since it was reported first, however often it was.
        let unchanged = random.shuffled(reports)
        #expect(lasting(unchanged)?.since == Self.at(1))
        reports.insert((2, Self.at(0)), at: 0)
        let arrived = random.shuffled(reports)
        #expect(lasting(reports)?.since == Self.at(45))
        #expect(lasting(arrived) == lasting(reports))
    }
}
