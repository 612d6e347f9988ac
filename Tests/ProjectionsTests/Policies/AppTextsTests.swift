import Domain
import Foundation
import JSON
import Projections
import Testing

/// Alerts by the keys of an app's own texts.
struct AppTextsTests {
    private func book(_ kind: String, _ document: PolicyDocument) throws -> PolicyBook {
        var book = PolicyBook()
        book.add(
            try ActivityCatalog.tested.policy(ofKind: kind, document, version: 1), ofKind: kind,
            fromPosition: 1)
        return book
    }

    /// An order of two pizzas that runs twelve minutes late.
    private func lateAlert(_ document: PolicyDocument) throws -> Alert? {
        let book = try book("PizzaDelivery", document)
        var story = Story()
        let facts = [
            (
                "OrderPlaced",
                #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"20","#
                    + #""promisedAt":"\#(Story.time(30))"}"#
            ),
            ("EstimateRevised", #"{"estimatedAt":"\#(Story.time(42))","reason":"Rain"}"#),
        ]
        for (index, fact) in facts.enumerated() {
            try story.tell(
                NewEvent(
                    id: "\(index)", source: "test", type: "PizzaDelivery.\(fact.0)",
                    activityID: ActivityID(rawValue: "story"),
                    occurredAt: Story.start.adding(seconds: Double(index)),
                    data: Data(fact.1.utf8)),
                under: book)
        }
        return story.changes.last?.alert
    }

    @Test func `a key has the arguments in the order of the kind's own text`() throws {
        let alert = try #require(try lateAlert(PolicyDocument(words: "keys")))
        #expect(alert.title == "Running late" && alert.translations.isEmpty)
        #expect(alert.body == "Order 7 comes about 12 minutes later than promised: Rain")
        #expect(
            alert.keys
                == Alert.Keys(
                    title: .key("islet.PizzaDelivery.late.title", arguments: []),
                    body: .key(
                        "islet.PizzaDelivery.late.body.other",
                        arguments: ["Order 7", "12", ": Rain"])))
        #expect(try lateAlert(PolicyDocument(words: "localized"))?.keys == nil)
    }

    @Test func `own words and own keys leave the arguments as they were`() throws {
        let texts: [String: PolicyDocument.Text] = [
            "late.body": .plain("{minutes} more minutes for {order}"),
            "order": .plain("no. {number}"),
        ]
        let document = PolicyDocument(
            texts: ["en": texts], words: "keys",
            keys: ["late.title": "LATE", "late.body": "LATE_BY"])
        let alert = try #require(try lateAlert(document))
        #expect(alert.body == "12 more minutes for no. 7")
        #expect(
            alert.keys
                == Alert.Keys(
                    title: .key("LATE", arguments: []),
                    body: .key("LATE_BY", arguments: ["no. 7", "12", ": Rain"])))
        let strings = AppTexts(
            PizzaDeliveryKind.self,
            under: try ActivityCatalog.standard.policy(
                ofKind: "PizzaDelivery", document, version: 1)
        ).strings(in: .standard)
        #expect(strings.contains("\"LATE_BY\" = \"%2$@ more minutes for %1$@\";\n"))
    }

    @Test func `a source's own words go as they are`() throws {
        let book = try book("Match", PolicyDocument(words: "keys"))
        var story = Story()
        for (type, data) in [
            ("Match.PeriodStarted", #"{"period":"firstHalf"}"#),
            ("Match.GoalScored", #"{"goalID":"1","team":"home","player":"Ada","minute":7}"#),
        ] {
            try story.tell(
                NewEvent(
                    id: type, source: "test", type: type,
                    activityID: ActivityID(rawValue: "story"), occurredAt: Story.start,
                    data: Data(data.utf8)), under: book)
        }
        let keys = try #require(story.changes.last?.alert?.keys)
        #expect(keys.body == .plain("Ada 7'"))
        #expect(
            keys.title == .key("islet.Match.goal.title", arguments: ["Home", "1–0", "Away"]))
    }

    @Test func `an argument from right to left turns nothing round in an app's text`() throws {
        let book = try book("Match", PolicyDocument(words: "keys"))
        var story = Story()
        for (type, data) in [
            (
                "Match.MatchScheduled",
                #"{"competition":"Cup","homeTeam":"\u05d4\u05e4","awayTeam":"Blues","#
                    + #""kickoff":"\#(Story.time(0))"}"#
            ),
            ("Match.GoalScored", #"{"goalID":"1","team":"home"}"#),
        ] {
            try story.tell(
                NewEvent(
                    id: type, source: "test", type: type,
                    activityID: ActivityID(rawValue: "story"), occurredAt: Story.start,
                    data: Data(data.utf8)), under: book)
        }
        let home = "\u{2068}\u{5D4}\u{5E4}\u{2069}"
        let keys = try #require(story.changes.last?.alert?.keys)
        #expect(keys.title == .key("islet.Match.goal.title", arguments: [home, "1–0", "Blues"]))
    }

    @Test func `a file of texts says what the words would have said`() throws {
        let policy = try ActivityCatalog.standard.policy(
            ofKind: "PizzaDelivery",
            PolicyDocument(texts: [
                "de": [
                    "late.body": .plain("\"{order}\" ist zu 100 % spät\\{minutes}"),
                    "late.title": .plain("100 %"),
                ]
            ]), version: 1)
        let texts = AppTexts(PizzaDeliveryKind.self, under: policy)
        #expect(texts.languages == [Language("de"), .standard])
        let german = texts.strings(in: Language("de"))
        for line in [
            #""islet.PizzaDelivery.late.title" = "100 %";"#,
            #""islet.PizzaDelivery.late.body.one" = "\"%1$@\" ist zu 100 %% spät\\%2$@";"#,
            #""islet.PizzaDelivery.late.body.other" = "\"%1$@\" ist zu 100 %% spät\\%2$@";"#,
            #""islet.PizzaDelivery.driverAssigned.body" = "%1$@ bringt %2$@.";"#,
        ] { #expect(german.contains(line + "\n"), "\(line)") }
        // What stands inside of others comes as an argument.
        #expect(!german.contains("islet.PizzaDelivery.pizzas"))
    }

    /// The texts of a file by their keys, as an app reads them.
    private func read(_ strings: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        for line in strings.split(separator: "\n") {
            let match = try #require(
                line.wholeMatch(of: /("(?:[^"\\]|\\.)*") = ("(?:[^"\\]|\\.)*");/))
            func text(_ quoted: Substring) throws -> String {
                try JSONDecoder().decode(String.self, from: Data(quoted.utf8))
            }
            texts[try text(match.1)] = try text(match.2)
        }
        return texts
    }

    private func said(_ text: AppText, _ texts: [String: String]) throws -> String {
        switch text {
        case .plain(let text): return text
        case .key(let key, let arguments):
            let format = try #require(texts[key], "\(key)")
            guard !arguments.isEmpty else { return format }
            return format.replacing(/%(?:(\d)\$@|%)/) { match in
                match.1.flatMap { Int($0) }.map { arguments[$0 - 1] } ?? "%"
            }
        }
    }

    @Test(arguments: KindProbe.all, 0..<4)
    func `an app with the file says in each language what the words would have said`(
        probe: KindProbe, seed: UInt64
    ) throws {
        let kind = try #require(ActivityCatalog.tested.kind(named: probe.name))
        let loud = Dictionary(
            uniqueKeysWithValues: kind.rules.filter(\.hasWords).map { ($0.name, "alert") })
        let keyed = try book(probe.name, PolicyDocument(rules: loud, words: "keys"))
        let texts = AppTexts(kind, under: keyed.policy(ofKind: probe.name, at: 1))
        let english = try read(texts.strings(in: .standard))
        let german = try read(texts.strings(in: Language("de")))
        #expect(Set(german.keys) == Set(english.keys))
        var facts = RandomFacts(seed: 9300 + seed)
        var story = Story()
        for event in facts.events(of: probe, count: 60) + RandomFacts.largest(of: probe) {
            guard let alert = try story.tell(event, under: keyed).alert else { continue }
            let keys = try #require(alert.keys)
            #expect(try said(keys.title, english) == alert.title)
            #expect(try said(keys.body, english) == alert.body)
            #expect(try !said(keys.title, german).isEmpty && !said(keys.body, german).isEmpty)
            let stored = WireCoder.encode(alert)
            #expect(try WireCoder.decode(Alert.self, from: stored) == alert)
        }
    }

    @Test func `what cannot be a form or a key is refused, each by its name`() {
        let document = PolicyDocument(
            words: "key",
            keys: [
                "late.titel": "X", "late.title": "", "late.body": "MY KEY",
                "first.title": String(repeating: "K", count: 65), "first.body": "fine.key",
            ])
        var errors: [PolicyInputError] = []
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.policy(
                ofKind: "PizzaDelivery", document, version: 1)
        } catch { if case .refused(let all) = error { errors = all } }
        #expect(
            Set(errors.map(\.pointer)) == [
                "/words", "/keys/late.titel", "/keys/late.title", "/keys/late.body",
                "/keys/first.title",
            ])
        let details = Dictionary(uniqueKeysWithValues: errors.map { ($0.pointer, $0.detail) })
        #expect(details["/words"] == "must be `localized` or `keys`")
        #expect(details["/keys/late.titel"]?.contains("`late.title`") == true)
    }
}
