import Domain
import Foundation
import JSON
import Testing

@testable import Projections

/// Who has texts in a language of their own reads none in the standard one.
struct OwnLanguageTests {
    /// In which each text is its places, without a letter.
    private static let bare = Language("tlh")

    private func kind(_ probe: KindProbe) throws -> any ActivityKind.Type {
        try #require(ActivityCatalog.standard.kind(named: probe.name))
    }

    /// All that can alert does.
    private func book(_ probe: KindProbe) throws -> PolicyBook {
        let kind = try kind(probe)
        let standard = try #require(kind.texts[.standard])
        let texts = standard.mapValues { template in
            PolicyDocument.Text.plain(
                "#" + template.placesInOrder.map { "{\($0)}" }.joined())
        }
        let loud = kind.rules.filter(\.hasWords).map { ($0.name, "alert") }
        let document = PolicyDocument(
            rules: Dictionary(uniqueKeysWithValues: loud), texts: [Self.bare.rawValue: texts])
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.standard.policy(ofKind: probe.name, document, version: 1),
            ofKind: probe.name, fromPosition: 1)
        return book
    }

    /// With texts of the source that are numbers.
    private func withoutLetters(_ event: NewEvent, _ probe: KindProbe) throws -> NewEvent {
        let type = try #require(probe.eventTypes.first { $0.name == event.type })
        var data = try JSONParser.parse(Array(event.data))
        for field in type.fields(of: event.schemaVersion) ?? [] {
            guard case .text = field.shape, case .string(let text)? = data[field.name] else {
                continue
            }
            data[field.name] = .string("\(text.utf8.count)")
        }
        var event = event
        event.data = Data(data.bytes)
        return event
    }

    @Test(arguments: KindProbe.ofIslet)
    func `an alert has no words but those of its language and of the source`(
        probe: KindProbe
    ) throws {
        let book = try book(probe)
        var count = 0
        for seed in UInt64(0)..<20 {
            var facts = RandomFacts(seed: 9700 + seed)
            var story = Story()
            for event in facts.events(of: probe, count: 40) {
                let change = try story.tell(withoutLetters(event, probe), under: book)
                var alerts = change.alert.map { [$0] } ?? []
                if change.snapshot.awaits == nil, change.snapshot.phase != .ended {
                    alerts.append(
                        try ActivityCatalog.standard.startAlert(
                            of: change.snapshot, under: change.policy))
                }
                for alert in alerts {
                    count += 1
                    let words = try #require(alert.translations[Self.bare])
                    for text in [words.title, words.body] {
                        // The sign of a minute is the same everywhere.
                        let own = text.replacing(" min", with: "")
                        let hasLetters = own.contains { $0.isLetter }
                        #expect(!hasLetters, "\(probe) \(change.assessment.rule): \(text)")
                    }
                }
            }
        }
        #expect(count > 20)
    }

    private func hasWords(_ template: Template) -> Bool {
        template.forms.contains { form in
            form.pieces.contains { !$0.isPlace && $0.text.contains(where: \.isLetter) }
        }
    }

    @Test(arguments: KindProbe.ofIslet)
    func `a language has each text that has words`(probe: KindProbe) throws {
        let texts = try kind(probe).texts
        let standard = try #require(texts[.standard])
        for (language, own) in texts where language != .standard {
            for (key, template) in standard where hasWords(template) {
                #expect(own[key] != nil, "\(probe) \(language.rawValue) \(key)")
            }
        }
    }
}

extension KindProbe {
    fileprivate static let ofIslet = all.filter {
        ActivityCatalog.standard.kind(named: $0.name) != nil
    }
}
