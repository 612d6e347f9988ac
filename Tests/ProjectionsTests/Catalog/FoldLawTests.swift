import Domain
import Foundation
import Projections
import Testing

/// What is true of the fold of every kind; a new kind is covered by its line in the catalogue.
struct FoldLawTests {
    /// One issue for all that is wrong: a kind that breaks a law does so with many events.
    @Test(arguments: KindProbe.all)
    func `every kind can end, and says so exactly once`(kind: KindProbe) throws {
        var endings = 0
        var violations: Set<String> = []
        for seed in UInt64(0)..<20 {
            var facts = RandomFacts(seed: seed)
            var before = Phase.scheduled
            for change in try Story(facts.events(of: kind, count: 60)).changes {
                let ends = before != .ended && change.snapshot.phase == .ended
                switch (change.assessment.ending != nil, ends) {
                case (true, false): violations.insert("an `ending`, and the phase is not `ended`")
                case (false, true): violations.insert("the phase `ended` without an `ending`")
                case (true, true), (false, false): break
                }
                if before == .ended {
                    if change.snapshot.phase != .ended {
                        violations.insert("it goes on after its end")
                    }
                    if change.assessment.significance != .none {
                        violations.insert("it says something after its end")
                    }
                }
                if ends { endings += 1 }
                before = change.snapshot.phase
            }
        }
        #expect(endings > 0, "no report ends it")
        #expect(violations.isEmpty, "\(violations.sorted().joined(separator: "; "))")
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
            #expect(snapshot.facts == expected.facts)
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

    /// One issue for all that is wrong: a kind that breaks a law does so with many events.
    @Test(arguments: KindProbe.all)
    func `every assessment is complete, and what nobody sees is not pushed`(
        kind: KindProbe
    ) throws {
        var violations: [String] = []
        for seed in UInt64(0)..<20 {
            var facts = RandomFacts(seed: 4000 + seed)
            let story = try Story(facts.events(of: kind, count: 40))
            for (event, change) in zip(story.events, story.changes) {
                violations += Self.violations(of: change, recordedAt: event.recordedAt)
                    .map { "seed \(seed), \(event.event.type): \($0)" }
            }
        }
        let first = violations.prefix(3).joined(separator: "; ")
        #expect(violations.isEmpty, "\(violations.count): \(first)")
    }

    private static func violations(of change: FoldedChange, recordedAt: Moment) -> [String] {
        let assessment = change.assessment
        let isAlert = assessment.significance == .alert
        let isShown = change.isVisible || assessment.ending != nil
        let isOver = change.snapshot.phase == .ended || assessment.isOver
        let isFresh = assessment.staleAt.map { $0 > recordedAt } ?? false
        let saysAll =
            change.alert.map { !$0.title.isEmpty && !$0.body.isEmpty && !$0.sound.isEmpty } ?? true
        let laws: [(violation: String, isKept: Bool)] = [
            ("no rule or no reason", !assessment.rule.isEmpty && !assessment.reason.isEmpty),
            ("nobody sees it, and it is pushed", isShown || assessment.significance == .none),
            ("an alert without words, or words without one", isAlert == (change.alert != nil)),
            ("an alert with an empty text", saysAll),
            ("it goes stale after its end", !isOver || assessment.staleAt == nil),
            ("`staleAt` is not after the report", isOver || isFresh),
            ("no relevance", assessment.relevanceScore != nil),
        ]
        return laws.filter { !$0.isKept }.map { $0.violation }
    }
}
