import Domain
import Foundation
import Projections
import Testing

/// What holds for the fold of every kind; a new kind is covered by its line in the catalogue.
struct FoldLawTests {
    @Test(arguments: KindProbe.all)
    func `every kind can end, and says so exactly once`(kind: KindProbe) throws {
        var endings = 0
        for seed in UInt64(0)..<20 {
            var facts = RandomFacts(seed: seed)
            var before = Phase.scheduled
            for change in try Story(facts.events(of: kind, count: 60)).changes {
                let ends = before != .ended && change.snapshot.phase == .ended
                #expect((change.assessment.ending != nil) == ends)
                if before == .ended {
                    #expect(change.snapshot.phase == .ended)
                    #expect(change.assessment.significance == .none)
                }
                if ends { endings += 1 }
                before = change.snapshot.phase
            }
        }
        #expect(endings > 0)
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `any order of arrival ends in the same facts and the same card`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 1000 + seed)
        let events = facts.events(of: kind, count: 5 + 2 * Int(seed))
        let expected = try #require(try Story(events).snapshot)
        for _ in 0..<3 {
            let repeated = events + (0..<8).map { _ in events[facts.below(events.count)] }
            let snapshot = try #require(try Story(facts.shuffled(repeated)).snapshot)
            #expect(try kind.facts(snapshot) == kind.facts(expected))
            #expect(snapshot.contentState == expected.contentState)
            #expect(snapshot.attributes == expected.attributes)
            #expect(try kind.isOver(snapshot) == kind.isOver(expected))
        }
    }

    @Test(arguments: KindProbe.all, 0..<10)
    func `redelivery of any prefix changes nothing and is never worth a push`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 2000 + seed)
        let events = facts.events(of: kind, count: 30)
        var story = try Story(events)
        let before = try #require(story.snapshot)
        for event in events {
            let change = try story.tell(event)
            #expect(!change.isVisible)
            #expect(change.assessment.significance == .none)
            #expect(try kind.facts(change.snapshot) == kind.facts(before))
            #expect(change.snapshot.contentState == before.contentState)
        }
    }

    @Test(arguments: KindProbe.all, 0..<6)
    func `folding twice gives equal bytes`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 3000 + seed)
        let events = facts.events(of: kind, count: 40)
        #expect(try Story(events).changes == Story(events).changes)
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `every assessment is complete, and what nobody sees is not pushed`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 4000 + seed)
        let story = try Story(facts.events(of: kind, count: 40))
        for (event, change) in zip(story.events, story.changes) {
            let assessment = change.assessment
            #expect(!assessment.rule.isEmpty && !assessment.reason.isEmpty)
            if !change.isVisible, assessment.ending == nil {
                #expect(assessment.significance == .none)
            }
            #expect((assessment.significance == .alert) == (change.alert != nil))
            if let alert = change.alert {
                #expect(!alert.title.isEmpty && !alert.body.isEmpty && !alert.sound.isEmpty)
            }
            if change.snapshot.phase == .ended || assessment.tellsEnd {
                #expect(assessment.staleAt == nil)
            } else {
                #expect(try #require(assessment.staleAt) > event.recordedAt)
            }
            _ = try #require(assessment.relevanceScore)
        }
    }
}
