import Domain
import Foundation
import Projections
import Testing

/// What holds for the policy of every kind.
struct PolicyLawTests {
    private func kind(_ probe: KindProbe) throws -> any ActivityKind.Type {
        try #require(ActivityCatalog.tested.kind(named: probe.name))
    }

    @Test(arguments: KindProbe.all, 0..<10)
    func `every rule that speaks is declared, and is worth no more than it says`(
        probe: KindProbe, seed: UInt64
    ) throws {
        let rules = try kind(probe).rules
        var facts = RandomFacts(seed: 9000 + seed)
        let story = try Story(facts.events(of: probe, count: 60) + RandomFacts.largest(of: probe))
        for assessment in story.changes.map(\.assessment) {
            if ["unchanged", "afterEnd"].contains(assessment.rule) { continue }
            let rule = try #require(
                rules.first { $0.name == assessment.rule }, "\(assessment.rule)")
            #expect(assessment.significance == rule.standard, "\(assessment.rule)")
            #expect((assessment.words != nil) == (rule.standard == .alert), "\(assessment.rule)")
        }
    }

    @Test(arguments: KindProbe.all)
    func `names stand for themselves and figures tell their unit`(probe: KindProbe) throws {
        let kind = try kind(probe)
        #expect(Set(kind.rules.map(\.name)).count == kind.rules.count)
        #expect(Set(kind.thresholds.map(\.name)).count == kind.thresholds.count)
        #expect(!kind.rules.isEmpty && !kind.thresholds.isEmpty)
        #expect(Set(kind.allThresholds.map(\.name)).count == kind.allThresholds.count)
        for threshold in kind.thresholds {
            #expect(["Seconds", "Percent", "Count"].contains { threshold.name.hasSuffix($0) })
            #expect(threshold.why.hasSuffix("."))
        }
    }

    /// A policy in which every rule alerts shows what no standard policy would.
    @Test(arguments: KindProbe.all, 0..<10)
    func `each rule with words finds all of them, in every language and within bounds`(
        probe: KindProbe, seed: UInt64
    ) throws {
        let kind = try kind(probe)
        let loud = kind.rules.filter(\.hasWords).map { ($0.name, "alert") }
        let document = PolicyDocument(rules: Dictionary(uniqueKeysWithValues: loud))
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.tested.policy(ofKind: probe.name, document, version: 1),
            ofKind: probe.name, fromPosition: 1)
        var facts = RandomFacts(seed: 9100 + seed)
        var story = Story()
        for event in facts.events(of: probe, count: 60) + RandomFacts.largest(of: probe) {
            let change = try story.tell(event, under: book)
            let rule = kind.rules.first { $0.name == change.assessment.rule }
            #expect((change.assessment.significance == .alert) == (rule?.hasWords ?? false))
            guard change.assessment.significance == .alert else { continue }
            let alert = try #require(change.alert)
            let all =
                [Alert.Words(title: alert.title, body: alert.body)]
                + alert.translations.values
            for words in all {
                for text in [words.title, words.body] {
                    #expect(!text.isEmpty)
                    #expect(
                        text.firstMatch(of: /\{[a-z]\w*\}|^\w+\.(title|body)$/) == nil, "\(text)")
                }
            }
        }
    }

    @Test(arguments: KindProbe.all)
    func `every language has texts and places that the standard one has`(probe: KindProbe) throws {
        let texts = try kind(probe).texts
        let standard = try #require(texts[.standard])
        for (language, own) in texts {
            // A tenant's texts are held to the same.
            let document = PolicyDocument(texts: [
                language.rawValue: own.mapValues { template in
                    switch template {
                    case .plain(let form): .plain(form.text)
                    case .plural(let by, let forms):
                        .plural(
                            by: by,
                            forms: Dictionary(
                                uniqueKeysWithValues: forms.map { ($0.key.rawValue, $0.value.text) }
                            ))
                    }
                }
            ])
            #expect(throws: Never.self) {
                try ActivityCatalog.tested.policy(ofKind: probe.name, document, version: 1)
            }
            #expect(Set(own.keys).isSubset(of: standard.keys))
        }
    }
}
