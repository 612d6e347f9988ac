import Domain
import Foundation
import Projections
import TestSupport
import Testing

struct StandingValueTests {
    private typealias Reported = (value: Int, at: Moment)

    private static func at(_ second: Int) -> Moment {
        Story.start.adding(seconds: Double(second))
    }

    private func standing(_ reports: [Reported]) -> StandingValue<Int>? {
        var standing: StandingValue<Int>?
        for report in reports { standing.offer(report.value, at: report.at) }
        return standing
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
        let inOrder = standing(reports)
        #expect(inOrder?.since == run.last?.at)
        #expect(inOrder?.earliest == reports.first?.at)
        for _ in 0..<5 {
            let repeated = reports + [random.pick(reports), random.pick(reports)]
            let arrived = random.shuffled(repeated)
            #expect(standing(arrived) == inOrder)
        }
    }

    @Test(arguments: 0..<200)
    func `reports of one moment end in the same, in any order of arrival`(seed: UInt64) {
        var random = RandomData(seed: seed)
        var reports: [Reported] = []
        for _ in 0...random.below(9) {
            reports.append((random.below(3), Self.at(random.below(5))))
        }
        let expected = standing(reports)
        for _ in 0..<5 {
            let arrived = random.shuffled(reports)
            #expect(standing(arrived) == expected)
        }
    }

    @Test func `of many reports after another value the newest are known, in any order`() {
        var random = RandomData(seed: 1)
        var reports: [Reported] = []
        for second in 1...300 { reports.append((1, Self.at(second))) }
        // A value that nobody changed stands since it was reported first, however often it was.
        let unchanged = random.shuffled(reports)
        #expect(standing(unchanged)?.since == Self.at(1))
        reports.insert((2, Self.at(0)), at: 0)
        let arrived = random.shuffled(reports)
        #expect(standing(reports)?.since == Self.at(45))
        #expect(standing(arrived) == standing(reports))
    }
}
