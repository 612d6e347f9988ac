import Testing
import VirtualTime

@Suite(.timeLimit(.minutes(3)))
struct `From intake to phones in virtual time` {
    @Test func `nothing is found that must never be`() async {
        var pushes = 0
        for number in UInt64(1)...5 {
            let seed = await Seed.run(number)
            pushes += seed.pushes
            let trace = seed.trace.suffix(40).joined(separator: "\n")
            #expect(seed.finding == nil, "make simulate SEED=\(number) COUNT=1\n\(trace)")
            if seed.finding != nil { return }
        }
        #expect(pushes > 80)
    }

    @Test(arguments: UInt64(101)...102)
    func `a seed comes out the same each time`(number: UInt64) async {
        let (first, second) = (await Seed.run(number), await Seed.run(number))
        #expect(first.sum == second.sum)
        #expect(first.trace.count > 50)
    }

    /// Each is found within so many seeds.
    @Test(arguments: [
        Mutation.skippedEvents, .oldBody, .forgottenRotation, .wrongEpoch, .alertTwice, .lostAnswer,
        .pushAfterEnd, .crossedTenants, .ignoredGoAway, .droppedHeldUpdate, .prunedToken,
    ])
    func `a bug that is put in on purpose is found`(mutation: Mutation) async {
        let seedsMax: UInt64 = 30
        for number in 1...seedsMax where await Seed.run(number, with: mutation).finding != nil {
            return
        }
        Issue.record("\(mutation) was not found within \(seedsMax) seeds")
    }
}
