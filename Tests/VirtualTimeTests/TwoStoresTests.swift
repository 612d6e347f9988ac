import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `The store in memory` {
    @Test(arguments: UInt64(1)...4)
    func `answers as Postgres does, whatever it is asked`(seed: UInt64) async throws {
        var sides = [try await Side(.memory), try await Side(.postgres)]
        var questions = Questions(seed: seed)
        var carriedOut = 0
        for step in 0..<250 {
            let question = questions.next()
            let inMemory = await sides[0].ask(question)
            let onPostgres = await sides[1].ask(question)
            #expect(inMemory == onPostgres, "seed \(seed), step \(step): \(question)")
            if inMemory != onPostgres { return }
            guard case .carryOut = question else { continue }
            if inMemory != "no claim", !inMemory.hasPrefix("failed") { carriedOut += 1 }
        }
        let inMemory = try await sides[0].contents(Questions.activities)
        let onPostgres = try await sides[1].contents(Questions.activities)
        #expect(inMemory == onPostgres)
        #expect(inMemory.count > 10)
        #expect(carriedOut > 20)
    }
}
