import Domain
import Foundation
import Projections
import Testing

/// Facts arrive late, twice and out of order, while the clock runs.
struct DisorderTests {
    @Test(arguments: KindProbe.all, 0..<25)
    func `delayed and repeated reports end in what the facts say`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 8000 + seed)
        let events = facts.events(of: kind, count: 6 + 2 * Int(seed))
        let inOrder = events.sorted { $0.occurredAt < $1.occurredAt }
        let expected = try #require(try Story(inOrder).snapshot)
        var feed = LateFeed(seed: seed)
        let actual = try #require(try feed.story(of: events).snapshot)
        #expect(try kind.facts(actual) == kind.facts(expected))
        #expect(actual.contentState == expected.contentState)
        #expect(actual.attributes == expected.attributes)
    }

    @Test(arguments: KindProbe.all)
    func `no card ever moves backwards`(kind: KindProbe) throws {
        for seed in UInt64(0)..<25 {
            var facts = RandomFacts(seed: 8100 + seed)
            var feed = LateFeed(seed: seed)
            var before: [Int]?
            for change in try feed.story(of: facts.events(of: kind, count: 40)).changes {
                let progress = try Progress.of(change.snapshot)
                if let before {
                    let fallen = zip(before, progress).contains { $0 > $1 }
                    #expect(!fallen, "seed \(seed): \(before) \(progress)")
                }
                before = progress
            }
        }
    }

    @Test(arguments: KindProbe.all, 0..<10)
    func `an end is sent once, and nothing is sent after it`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 8200 + seed)
        var feed = LateFeed(seed: seed)
        var story = try feed.story(of: facts.events(of: kind, count: 40))
        try story.waitForEver()
        let end = try #require(story.changes.firstIndex { $0.assessment.ending != nil })
        for change in story.changes[(end + 1)...] {
            #expect(change.assessment.significance == .none)
            #expect(change.assessment.ending == nil)
            #expect(change.snapshot.phase == .ended)
        }
    }
}
