import Domain
import Foundation
import Projections
import Testing

/// What holds for every kind of activity; a new kind is covered by its line in the catalogue.
struct CatalogTests {
    static let names = ActivityCatalog.kinds.map(\.name)

    private func kind(_ name: String) throws -> any ActivityKind.Type {
        try #require(ActivityCatalog.kind(named: name))
    }

    private func fold(_ events: [NewEvent]) throws -> Story {
        var story = Story()
        for event in events { try story.tell(event) }
        return story
    }

    @Test func `the catalogue has both kinds, each under its own name`() {
        #expect(Self.names == ["PizzaDelivery", "Match"])
        let types = ActivityCatalog.kinds.flatMap { $0.eventTypes }
        #expect(Set(types).count == types.count)
    }

    @Test(arguments: names)
    func `the attributes type is the Swift type's name`(name: String) throws {
        func attributes<K: ActivityKind>(_ kind: K.Type) -> String { "\(K.Attributes.self)" }
        #expect(try attributes(kind(name)) == kind(name).attributesType)
    }

    @Test(arguments: names)
    func `every type of event leads to its kind and has the kind's prefix`(name: String) throws {
        for type in try kind(name).eventTypes {
            #expect(ActivityCatalog.kind(ofEventType: type)?.name == name)
            #expect(type.hasPrefix("\(name)."))
        }
    }

    @Test(arguments: names, 0..<8)
    func `attributes and states survive the stock coders`(name: String, seed: UInt64) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
            var facts = RandomFacts(seed: seed)
            for change in try fold(facts.events(of: kind, count: 60)).changes {
                let attributes = try JSONDecoder().decode(
                    K.Attributes.self, from: change.snapshot.attributes)
                #expect(WireCoder.encode(attributes) == change.snapshot.attributes)
                let state = try JSONDecoder().decode(
                    K.ContentState.self, from: change.snapshot.contentState)
                #expect(WireCoder.encode(state) == change.snapshot.contentState)
                let stock = try JSONDecoder().decode(
                    K.ContentState.self, from: JSONEncoder().encode(state))
                #expect(stock == state)
                let inner = try JSONDecoder().decode(K.State.self, from: change.snapshot.state)
                #expect(WireCoder.encode(inner) == change.snapshot.state)
            }
        }
        try check(kind(name))
    }

    @Test(arguments: names)
    func `the largest attributes, state and alert fit into a push`(name: String) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
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
        try check(kind(name))
    }

    @Test(arguments: names)
    func `every kind can end, and says so exactly once`(name: String) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
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
        try check(kind(name))
    }

    @Test(arguments: names, 0..<40)
    func `any order of arrival ends in the same bytes`(name: String, seed: UInt64) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
            var facts = RandomFacts(seed: 1000 + seed)
            let events = facts.events(of: kind, count: 5 + Int(seed))
            let expected = try #require(try fold(events).snapshot)
            for _ in 0..<5 {
                let repeated = events + (0..<8).map { _ in events[facts.below(events.count)] }
                let snapshot = try #require(try fold(facts.shuffled(repeated)).snapshot)
                #expect(snapshot.state == expected.state)
                #expect(snapshot.contentState == expected.contentState)
                #expect(snapshot.attributes == expected.attributes)
                #expect(snapshot.phase == expected.phase)
            }
        }
        try check(kind(name))
    }

    @Test(arguments: names, 0..<20)
    func `redelivery of any prefix changes nothing and is never worth a push`(
        name: String, seed: UInt64
    ) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
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
        try check(kind(name))
    }

    @Test(arguments: names, 0..<20)
    func `folding twice gives equal bytes`(name: String, seed: UInt64) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
            var facts = RandomFacts(seed: 3000 + seed)
            let events = facts.events(of: kind, count: 40)
            #expect(try fold(events).changes == fold(events).changes)
        }
        try check(kind(name))
    }

    @Test(arguments: names, 0..<20)
    func `every assessment is complete, and what nobody sees is not pushed`(
        name: String, seed: UInt64
    ) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
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
        try check(kind(name))
    }

    @Test(arguments: names, 0..<10)
    func `every state has something to show in every place`(name: String, seed: UInt64) throws {
        func check<K: ActivityKind>(_ kind: K.Type) throws {
            var facts = RandomFacts(seed: 5000 + seed)
            for change in try fold(facts.events(of: kind, count: 40)).changes {
                let presentation = try ActivityCatalog.presentation(
                    kind: name, attributes: change.snapshot.attributes,
                    contentState: change.snapshot.contentState)
                #expect((1...4).contains(presentation.lockScreen.count))
                let lines =
                    presentation.lockScreen + [presentation.compactLeading, presentation.minimal]
                for line in lines { #expect(!line.reading(at: Story.start).isEmpty) }
            }
        }
        try check(kind(name))
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
