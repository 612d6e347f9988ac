import Domain
import Foundation
import Projections
import Testing

/// What is true of the policy of every kind.
struct PolicyLawTests {
    private func kind(_ probe: KindProbe) throws -> any ActivityKind.Type {
        try #require(ActivityCatalog.tested.kind(named: probe.name))
    }

    /// One issue for all that is wrong: a kind that breaks a law does so with many events.
    @Test(arguments: KindProbe.all)
    func `every rule that speaks is declared, and is worth no more than it says`(
        probe: KindProbe
    ) throws {
        let rules = try kind(probe).rules
        var violations: Set<String> = []
        for seed in UInt64(0)..<10 {
            var facts = RandomFacts(seed: 9000 + seed)
            let events = facts.events(of: probe, count: 60) + RandomFacts.largest(of: probe)
            for assessment in try Story(events).changes.map(\.assessment)
            where !["unchanged", "attributes", "afterEnd"].contains(assessment.rule) {
                violations.formUnion(Self.violations(of: assessment, rules))
            }
        }
        #expect(violations.isEmpty, "\(violations.sorted().joined(separator: "; "))")
    }

    private static func violations(of assessment: Assessment, _ rules: [Rule]) -> [String] {
        let name = assessment.rule
        guard let rule = rules.first(where: { $0.name == name }) else {
            return ["\(name) is not one of the kind's rules"]
        }
        var violations: [String] = []
        if assessment.significance != rule.standard {
            violations.append("\(name) is \(rule.standard), and gave \(assessment.significance)")
        }
        if (assessment.words != nil) != (rule.standard == .alert) {
            violations.append("\(name) has words and is no alert, or is one and has none")
        }
        return violations
    }

    /// A function whose parameters are named otherwise is none of the protocol's. The compiler says
    /// nothing, and the protocol's default stands in.
    @Test(arguments: KindProbe.all)
    func `a kind with a step for broken promises makes some, and has a rule for them`(
        probe: KindProbe
    ) throws {
        let kind = try kind(probe)
        var violations: Set<String> = []
        var count = 0
        for seed in UInt64(0)..<100 {
            var facts = RandomFacts(seed: 9200 + seed)
            var story = try Story(facts.events(of: probe, count: 4))
            try story.waitForEver()
            for (event, change) in zip(story.events, story.changes)
            where event.event.type == ActivityClock.Event.promiseBroken.type {
                count += 1
                violations.formUnion(Self.violations(of: change.assessment, kind.rules))
            }
        }
        #expect(violations.isEmpty, "\(violations.sorted().joined(separator: "; "))")
        let step = Threshold.overdueStep(0).name
        let hasStep = kind.thresholds.contains { $0.name == step }
        #expect(hasStep == (count > 0), "\(count) broken promises; has \(step): \(hasStep)")
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
    @Test(arguments: KindProbe.all)
    func `each rule with words finds all of them, in every language and within bounds`(
        probe: KindProbe
    ) throws {
        let kind = try kind(probe)
        let loud = kind.rules.filter(\.hasWords).map { ($0.name, "alert") }
        let document = PolicyDocument(rules: Dictionary(uniqueKeysWithValues: loud))
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.tested.policy(ofKind: probe.name, document, version: 1),
            ofKind: probe.name, fromPosition: 1)
        var violations: Set<String> = []
        for seed in UInt64(0)..<10 {
            var facts = RandomFacts(seed: 9100 + seed)
            var story = Story()
            for event in facts.events(of: probe, count: 60) + RandomFacts.largest(of: probe) {
                let change = try story.tell(event, under: book)
                let name = change.assessment.rule
                let rule = kind.rules.first { $0.name == name }
                let isAlert = change.assessment.significance == .alert
                if isAlert != (rule?.hasWords ?? false) || isAlert != (change.alert != nil) {
                    violations.insert(
                        "\(name) has words and does not say them, or has none and alerts")
                }
                if let alert = change.alert { violations.formUnion(Self.gaps(in: alert)) }
            }
        }
        #expect(violations.isEmpty, "\(violations.sorted().joined(separator: "; "))")
    }

    @Test(arguments: KindProbe.all)
    func `a card that appears by itself says something with nothing left to fill in`(
        probe: KindProbe
    ) throws {
        var violations: Set<String> = []
        for seed in UInt64(0)..<10 {
            var facts = RandomFacts(seed: 9300 + seed)
            for change in try Story(facts.events(of: probe, count: 10)).changes {
                let alert = try ActivityCatalog.tested.startAlert(
                    of: change.snapshot, under: .builtIn)
                violations.formUnion(Self.gaps(in: alert))
            }
        }
        #expect(violations.isEmpty, "\(violations.sorted().joined(separator: "; "))")
    }

    private static func gaps(in alert: Alert) -> [String] {
        let all =
            [Alert.Text(title: alert.title, body: alert.body)] + alert.translations.values
        return all.flatMap { [$0.title, $0.body] }.compactMap { text in
            if text.isEmpty { return "a text is empty" }
            if text.contains(/^\w+\.(title|body)$/) { return "text \(text) is missing" }
            return text.contains(/\{[a-z]\w*\}/) ? "nothing fills the place in “\(text)”" : nil
        }
    }

    @Test(arguments: KindProbe.all)
    func `every language has texts and places that the standard one has`(probe: KindProbe) throws {
        let texts = try kind(probe).texts
        // A plain kind says what its Lock Screen does.
        if texts.isEmpty { return }
        let standard = try #require(texts[.standard])
        for (language, own) in texts {
            // A tenant's texts are checked in the same way.
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
