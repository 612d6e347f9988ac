import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

/// Words that are put fit into every push, whatever happens to an activity.
struct WordsFitTests {
    private func errors(_ kind: String, _ texts: [String: [String: String]]) -> [PolicyInputError] {
        let document = PolicyDocument(
            texts: texts.mapValues { $0.mapValues { .plain($0) } })
        do throws(PolicyError) {
            _ = try ActivityCatalog.tested.newPolicy(ofKind: kind, document)
            return []
        } catch {
            guard case .refused(let errors) = error else { return [] }
            return errors
        }
    }

    @Test func `words that are too long name their language, their key and their bytes`() throws {
        let reasons = String(repeating: "{reason}", count: 14)
        let found = errors("PizzaDelivery", ["de": ["late.body": reasons]])
        #expect(found.map(\.pointer) == ["/texts/de/late.body"])
        let detail = try #require(found.first?.detail)
        #expect(detail.contains(/makes an alert of up to \d{4} bytes in `de`; beside the largest/))
        // Who speaks no language of the kind's hears the standard one, which is to blame once.
        let standard = errors("PizzaDelivery", ["en": ["late.body": reasons], "pl": [:]])
        #expect(standard.map(\.pointer) == ["/texts/en/late.body"])
        // A phrase that others are filled with: each of them gets longer by it.
        let phrase = String(repeating: "{number}", count: 30)
        let nested = errors("PizzaDelivery", ["fr": ["order": phrase]])
        #expect(nested.map(\.pointer) == ["/texts/fr/order"])
        let orders = String(repeating: "{order}", count: 30)
        #expect(errors("PizzaDelivery", ["fr": ["first.body": orders]]).count == 1)
        #expect(errors("PizzaDelivery", ["fr": ["first.body": "{order}"]]).isEmpty)
    }

    @Test func `each place has room for the marks around a name from right to left`() throws {
        func bytes(places count: Int) throws -> Int {
            let reasons = String(repeating: "{reason}", count: count)
            let found = errors("PizzaDelivery", ["de": ["late.body": reasons]])
            let match = try #require(found.first?.detail.firstMatch(of: /up to (\d+) bytes/))
            return try #require(Int(match.1))
        }
        // A colon, a blank, 140 quotation marks with their escapes, and the two marks.
        #expect(try bytes(places: 15) - bytes(places: 14) == 2 + 2 * 140 + 6)
    }

    @Test func `a policy that was put before any such check is still read`() throws {
        let text = PolicyDocument.Text.plain(String(repeating: "{reason}", count: 20))
        let document = PolicyDocument(texts: ["de": ["late.body": text]])
        #expect(throws: PolicyError.self) {
            try ActivityCatalog.standard.newPolicy(ofKind: "PizzaDelivery", document)
        }
        let policy = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery", document, version: 1)
        #expect(policy.texts.count == 1)
    }

    private static let languages = ["en", "de", "ja"]

    /// As long as they may be: places again and again, until that is no longer refused.
    private func longest(_ kind: any ActivityKind.Type) throws -> PolicyDocument? {
        let standard = try #require(kind.texts[.standard])
        let loud = kind.rules.filter(\.hasWords).map { ($0.name, "alert") }
        for (repeats, bytes) in [(6, 256), (3, 256), (2, 256), (1, 256), (1, 128)] {
            let texts = standard.mapValues { template in
                let text = String(repeating: places(of: template), count: repeats)
                let filler = String(repeating: "\"", count: bytes)
                return PolicyDocument.Text.plain(String((text + filler).prefix(bytes)))
            }
            let document = PolicyDocument(
                rules: Dictionary(uniqueKeysWithValues: loud),
                texts: Dictionary(uniqueKeysWithValues: Self.languages.map { ($0, texts) }))
            do throws(PolicyError) {
                _ = try ActivityCatalog.tested.newPolicy(ofKind: kind.name, document)
                return document
            } catch { continue }
        }
        return nil
    }

    /// Each once, in braces.
    private func places(of template: Template) -> String {
        let forms =
            switch template {
            case .plain(let form): [form]
            case .plural(_, let forms): Array(forms.values)
            }
        let places = forms.flatMap { $0.text.matches(of: /\{\w+\}/).map { String($0.0) } }
        return Set(places).sorted().joined()
    }

    private struct Body: Decodable {
        struct APS: Decodable { var alert: Alert.Text }
        var aps: APS
    }

    @Test(arguments: KindProbe.all)
    func `the longest words that may be put are sent whole beside the largest state`(
        probe: KindProbe
    ) throws {
        let kind = try #require(ActivityCatalog.tested.kind(named: probe.name))
        // A plain kind has none that could be put.
        if kind.texts.isEmpty { return }
        let document = try #require(try longest(kind))
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.tested.newPolicy(ofKind: probe.name, document),
            ofKind: probe.name, fromPosition: 1)
        var count = 0
        for seed in UInt64(0)..<4 {
            var facts = RandomFacts(seed: 9500 + seed)
            var story = Story()
            for event in facts.largest(of: probe, count: 40) {
                let change = try story.tell(event, recordedAt: event.occurredAt, under: book)
                var machine = DispatchMachine()
                let decision = machine.decide(about: change)
                guard let alert = decision.alert else { continue }
                count += 1
                try expectWhole(alert, change.snapshot, decision)
            }
        }
        #expect(count >= 4)
    }

    private func expectWhole(
        _ alert: Alert, _ snapshot: Snapshot, _ decision: Decision
    ) throws {
        let plan = PushPlan.make(
            snapshot: snapshot, pending: [decision], lastCompleted: nil, timestamp: 1_772_820_000)
        for language in Self.languages {
            let message = try #require(plan.message(language: Language(language)))
            let body = try JSONDecoder().decode(Body.self, from: Data(message.body))
            #expect(message.body.count <= 4096)
            #expect(body.aps.alert == alert.text(for: language), "\(decision.rule)")
        }
    }
}
