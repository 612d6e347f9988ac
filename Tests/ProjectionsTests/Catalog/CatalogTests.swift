import Domain
import Foundation
import JSON
import ProjectFiles
import Projections
import TestSupport
import Testing

/// What the catalogue knows, and what every kind of it looks like on the wire.
struct CatalogTests {
    @Test func `the catalogue has every kind that has a folder, each under its own name`() throws {
        let names = ActivityCatalog.standard.kinds.map { $0.name }
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: ProjectFiles.url("Sources/Projections/Activities").path()
        ).filter { !$0.hasSuffix(".swift") }
        #expect(names.sorted() == folders.sorted())
        #expect(KindProbe.all.map(\.name) == names + ["Laundry"])
        let types = KindProbe.all.flatMap(\.eventTypes).map(\.name)
        #expect(Set(types).count == types.count)
        #expect(types == ActivityCatalog.tested.eventTypes.map(\.name))
    }

    @Test(arguments: KindProbe.all)
    func `the attributes type is the Swift type's name`(kind: KindProbe) throws {
        #expect(kind.attributesType.stated == kind.attributesType.actual)
    }

    @Test(arguments: KindProbe.all)
    func `every type of event leads to its kind and has the kind's prefix`(kind: KindProbe) throws {
        for type in kind.eventTypes {
            #expect(ActivityCatalog.tested.kind(ofEventType: type.name)?.name == kind.name)
            #expect(ActivityCatalog.tested.eventType(named: type.name) == type)
            #expect(type.name.hasPrefix("\(kind.name)."))
        }
    }

    @Test(arguments: KindProbe.all, 0..<8)
    func `attributes and states survive the stock coders`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: seed)
        for change in try Story(facts.events(of: kind, count: 60)).changes {
            #expect(try kind.survivesCoding(change.snapshot))
        }
    }

    @Test(arguments: KindProbe.all)
    func `attributes keep the activity's id, by which a started app registers its card`(
        kind: KindProbe
    ) throws {
        var facts = RandomFacts(seed: 1)
        let story = try Story(facts.events(of: kind, count: 5))
        let attributes = try #require(story.changes.last).snapshot.attributes
        let named = Data(#"{"activityID":"order/1","#.utf8) + attributes.dropFirst()
        let again = String(decoding: try kind.attributesAgain(named), as: UTF8.self)
        #expect(again.contains(#""activityID":"order/1""#))
    }

    @Test(arguments: KindProbe.all)
    func `the first app of a kind decodes every state`(kind: KindProbe) throws {
        for seed in UInt64(0)..<8 {
            var facts = RandomFacts(seed: 6000 + seed)
            let story = try Story(facts.events(of: kind, count: 60) + RandomFacts.largest(of: kind))
            for change in story.changes {
                try FirstApp.decode(
                    kind.name, change.snapshot.attributes, change.snapshot.contentState)
            }
        }
    }

    @Test(arguments: KindProbe.all)
    func `the largest attributes, state and alert fit into a push`(kind: KindProbe) throws {
        let events = RandomFacts.largest(of: kind)
        for offset in events.indices {
            let rotated = Array(events[offset...] + events[..<offset])
            for change in try Story(rotated + events.reversed()).changes {
                let snapshot = change.snapshot
                #expect(snapshot.attributes.count + snapshot.contentState.count <= 4096)
                guard let alert = change.alert else { continue }
                let standard = Alert.Text(title: alert.title, body: alert.body)
                for words in [standard] + alert.translations.values {
                    let withWords = snapshot.contentState.count + WireCoder.encode(words).count
                    // Leaves 512 bytes for the other members of a push.
                    #expect(withWords <= 4096 - 512, "\(change.assessment.rule)")
                }
            }
        }
    }

    @Test(arguments: KindProbe.all, 0..<10)
    func `every state has something to show in every place`(kind: KindProbe, seed: UInt64) throws {
        var facts = RandomFacts(seed: 5000 + seed)
        for change in try Story(facts.events(of: kind, count: 40)).changes {
            let presentation = try ActivityCatalog.tested.presentation(
                kind: kind.name, attributes: change.snapshot.attributes,
                contentState: change.snapshot.contentState)
            #expect((1...4).contains(presentation.lockScreen.count))
            let lines =
                presentation.lockScreen + [
                    presentation.compactLeading, presentation.minimal,
                    presentation.expanded.leading, presentation.expanded.center,
                    presentation.expanded.bottom,
                ]
            for line in lines { #expect(!line.reading(at: Story.start).isEmpty) }
        }
    }

    @Test func `an unknown type, kind or foreign event is refused`() throws {
        let refusal = #expect(throws: EventRefusal.self) {
            try ActivityCatalog.standard.validate(
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

    @Test func `two kinds of one name end the program with a sentence`() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ActivityCatalog(kinds: [PizzaDeliveryKind.self, PizzaDeliveryKind.self]) }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("two kinds are called PizzaDelivery"), "\(said)")
    }

    @Test func `a stored state that another version wrote is an error`() throws {
        var story = Story()
        try story.tell("PizzaDelivery.OrderAccepted", at: 0)
        var snapshot = try #require(story.snapshot)
        let next = try #require(story.events.first)
        for state in [
            "", "[]", #"{"stage":"baked"}"#, #"{"lifetime":7,"stage":"placed"}"#,
            #"{"stage":"placed"}"#,
        ] {
            snapshot.state = Data(state.utf8)
            let stored = snapshot
            #expect(
                throws: FoldError.undecodable(member: "state", kind: "PizzaDelivery"), "\(state)"
            ) { try ActivityCatalog.standard.fold(next, into: stored) }
        }
    }
}
