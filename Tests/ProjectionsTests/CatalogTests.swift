import Domain
import Foundation
import Projections
import Testing

/// What holds for every kind of activity; a new kind is covered by its line in the catalogue.
struct CatalogTests {
    private func fold(_ events: [NewEvent]) throws -> Story {
        var story = Story()
        for event in events { try story.tell(event) }
        return story
    }

    @Test func `the catalogue has both kinds, each under its own name`() {
        #expect(KindProbe.all.map(\.name) == ["PizzaDelivery", "Match"])
        let types = KindProbe.all.flatMap(\.eventTypes).map(\.name)
        #expect(Set(types).count == types.count)
    }

    @Test(arguments: KindProbe.all)
    func `the attributes type is the Swift type's name`(kind: KindProbe) throws {
        #expect(kind.attributesType.stated == kind.attributesType.actual)
    }

    @Test(arguments: KindProbe.all)
    func `every type of event leads to its kind and has the kind's prefix`(kind: KindProbe) throws {
        for type in kind.eventTypes {
            #expect(ActivityCatalog.kind(ofEventType: type.name)?.name == kind.name)
            #expect(type.name.hasPrefix("\(kind.name)."))
        }
    }

    @Test(arguments: KindProbe.all, 0..<8)
    func `attributes and states survive the stock coders`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: seed)
        for change in try fold(facts.events(of: kind, count: 60)).changes {
            #expect(try kind.survivesCoding(change.snapshot))
        }
    }

    @Test(arguments: KindProbe.all)
    func `the largest attributes, state and alert fit into a push`(kind: KindProbe) throws {
        let events = RandomFacts.largest(of: kind)
        for offset in events.indices {
            let rotated = Array(events[offset...] + events[..<offset])
            for change in try fold(rotated + events.reversed()).changes {
                let snapshot = change.snapshot
                #expect(snapshot.attributes.count + snapshot.contentState.count <= 4096)
                guard case .alert(let alert) = change.assessment.significance else { continue }
                let withAlert = snapshot.contentState.count + WireCoder.encode(alert).count
                // Leaves 512 bytes for the other members of a push.
                #expect(withAlert <= 4096 - 512, "\(change.assessment.rule)")
            }
        }
    }

    @Test(arguments: KindProbe.all)
    func `every kind can end, and says so exactly once`(kind: KindProbe) throws {
        var endings = 0
        for seed in UInt64(0)..<20 {
            var facts = RandomFacts(seed: seed)
            var before = Phase.scheduled
            for change in try fold(facts.events(of: kind, count: 60)).changes {
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
    func `any order of arrival ends in the same bytes`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 1000 + seed)
        let events = facts.events(of: kind, count: 5 + 2 * Int(seed))
        let expected = try #require(try fold(events).snapshot)
        for _ in 0..<3 {
            let repeated = events + (0..<8).map { _ in events[facts.below(events.count)] }
            let snapshot = try #require(try fold(facts.shuffled(repeated)).snapshot)
            #expect(snapshot.state == expected.state)
            #expect(snapshot.contentState == expected.contentState)
            #expect(snapshot.attributes == expected.attributes)
            #expect(snapshot.phase == expected.phase)
        }
    }

    @Test(arguments: KindProbe.all, 0..<10)
    func `redelivery of any prefix changes nothing and is never worth a push`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 2000 + seed)
        let events = facts.events(of: kind, count: 30)
        var story = try fold(events)
        let before = try #require(story.snapshot)
        for event in events {
            let change = try story.tell(event)
            #expect(!change.isVisible)
            #expect(change.assessment.significance == .none)
            #expect(change.snapshot.state == before.state)
            #expect(change.snapshot.contentState == before.contentState)
        }
    }

    @Test(arguments: KindProbe.all, 0..<6)
    func `folding twice gives equal bytes`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 3000 + seed)
        let events = facts.events(of: kind, count: 40)
        #expect(try fold(events).changes == fold(events).changes)
    }

    @Test(arguments: KindProbe.all, 0..<20)
    func `every assessment is complete, and what nobody sees is not pushed`(
        kind: KindProbe, seed: UInt64
    ) throws {
        var facts = RandomFacts(seed: 4000 + seed)
        let story = try fold(facts.events(of: kind, count: 40))
        for (event, change) in zip(story.events, story.changes) {
            let assessment = change.assessment
            #expect(!assessment.rule.isEmpty && !assessment.reason.isEmpty)
            if !change.isVisible { #expect(assessment.significance == .none) }
            if case .alert(let alert) = assessment.significance {
                #expect(!alert.title.isEmpty && !alert.body.isEmpty && !alert.sound.isEmpty)
            }
            if change.snapshot.phase != .ended {
                #expect(try #require(assessment.staleAt) > event.recordedAt)
            }
            _ = try #require(assessment.relevanceScore)
        }
    }

    @Test(arguments: KindProbe.all, 0..<10)
    func `every state has something to show in every place`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 5000 + seed)
        for change in try fold(facts.events(of: kind, count: 40)).changes {
            let presentation = try ActivityCatalog.presentation(
                kind: kind.name, attributes: change.snapshot.attributes,
                contentState: change.snapshot.contentState)
            #expect((1...4).contains(presentation.lockScreen.count))
            let lines =
                presentation.lockScreen + [presentation.compactLeading, presentation.minimal]
            for line in lines { #expect(!line.reading(at: Story.start).isEmpty) }
        }
    }

    @Test func `an unknown type, kind or foreign event is refused`() throws {
        let refusal = #expect(throws: EventRefusal.self) {
            try ActivityCatalog.validate(
                type: "Match.Streaker", schemaVersion: 1, data: Data("{}".utf8))
        }
        #expect(refusal?.problem == .unknownType)
        #expect(refusal?.pointer == "/type")
        var story = Story()
        try story.tell("PizzaDelivery.OrderAccepted", at: 0)
        #expect(throws: FoldError.kindMismatch(expected: "PizzaDelivery", found: "Match")) {
            try story.tell("Match.FullTimeReached", at: 1)
        }
        #expect(throws: FoldError.unknownKind("Chess.Mate")) {
            try story.tell("Chess.Mate", at: 1)
        }
    }
}
