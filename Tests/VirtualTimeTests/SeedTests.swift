import Testing
import VirtualTime

/// Each seed has a thread of its own, and the threads share the processors.
@Suite(.timeLimit(.minutes(6)))
struct `From intake to phones in virtual time` {
    private static func run(_ numbers: [UInt64]) async -> [Seed] {
        let seeds = await withTaskGroup(of: Seed.self) { group in
            for number in numbers { group.addTask { await Seed.run(number) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return seeds.sorted { $0.number < $1.number }
    }

    @Test func `nothing is found that must never be`() async {
        let seeds = await Self.run([1, 2, 3, 4, 5])
        for seed in seeds {
            let course = seed.course.suffix(40).joined(separator: "\n")
            #expect(seed.finding == nil, "make simulate SEED=\(seed.number) COUNT=1\n\(course)")
        }
        #expect(seeds.reduce(0) { $0 + $1.pushes } > 80)
    }

    @Test func `a seed comes out the same each time, whatever runs beside it`() async {
        let seeds = await Self.run([101, 101, 102, 102])
        #expect(seeds[0].sum == seeds[1].sum)
        #expect(seeds[2].sum == seeds[3].sum)
        #expect(seeds[0].sum != seeds[2].sum)
        #expect(seeds.map(\.course.count).min() ?? 0 > 50)
    }

    @Test func `each bug that is put in on purpose is found`() async {
        let seedsMax: UInt64 = 100
        await withDiscardingTaskGroup { group in
            for bug in Mutation.allCases {
                group.addTask {
                    for number in 1...seedsMax
                    where await Seed.run(number, with: bug).finding != nil { return }
                    Issue.record("\(bug) was not found within \(seedsMax) seeds")
                }
            }
        }
    }
}
