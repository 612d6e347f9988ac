import Domain
import Foundation
import JSON
import Testing

@testable import Projections

/// What a tenant may say, and what comes of it.
struct PolicyTests {
    private func policy(
        _ kind: String, _ document: PolicyDocument, version: Int = 1
    ) throws -> Policy {
        try ActivityCatalog.standard.policy(ofKind: kind, document, version: version)
    }

    private func errors(_ kind: String, _ document: PolicyDocument) -> [PolicyInputError] {
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.policy(ofKind: kind, document, version: 1)
            return []
        } catch {
            guard case .refused(let errors) = error else { return [] }
            return errors
        }
    }

    private func story(_ book: PolicyBook, late minutes: Double) throws -> Story {
        var story = Story()
        func tell(_ type: String, _ data: String, at minute: Double) throws {
            try story.tell(
                NewEvent(
                    id: "\(story.events.count)", source: "test", type: "PizzaDelivery.\(type)",
                    activityID: ActivityID(rawValue: "story"),
                    occurredAt: Story.start.adding(seconds: minute * 60), data: Data(data.utf8)),
                under: book)
        }
        try tell(
            "OrderPlaced",
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"20","#
                + #""promisedAt":"\#(Story.time(30))"}"#, at: 0)
        try tell(
            "EstimateRevised", #"{"estimatedAt":"\#(Story.time(30 + minutes))"}"#, at: 1)
        return story
    }

    @Test func `a threshold moves the line between an alert and a quiet update`() throws {
        var book = PolicyBook()
        book.add(
            try policy("PizzaDelivery", PolicyDocument(thresholds: ["delayStepSeconds": 1200])),
            ofKind: "PizzaDelivery", fromPosition: 1)
        #expect(try story(.builtIn, late: 12).rule == "late")
        #expect(try story(book, late: 12).rule == "estimate")
        #expect(try story(book, late: 21).rule == "late")
    }

    @Test func `a rule can be lowered, and raised to as much as it has words for`() throws {
        let quiet = try policy("Match", PolicyDocument(rules: ["goal": "ambient"]))
        let goal = try #require(MatchKind.rules.first { $0.name == "goal" })
        #expect(quiet.significance(of: goal) == .ambient)
        let loud = try policy("Match", PolicyDocument(rules: ["kickOff": "alert"]))
        let kickOff = try #require(MatchKind.rules.first { $0.name == "kickOff" })
        #expect(loud.significance(of: kickOff) == .alert)
        let refused = errors("Match", PolicyDocument(rules: ["card": "alert"]))
        #expect(refused.map(\.pointer) == ["/rules/card"])
    }

    @Test func `a policy is in force from its position on, and never before it`() throws {
        var book = PolicyBook()
        for (version, position) in [(1, 10), (2, 20)] as [(Int, Int64)] {
            let document = PolicyDocument(thresholds: ["delayStepSeconds": Double(version) * 100])
            book.add(
                try policy("PizzaDelivery", document, version: version), ofKind: "PizzaDelivery",
                fromPosition: position)
        }
        let versions = [1, 9, 10, 19, 20, 500].map {
            book.policy(ofKind: "PizzaDelivery", at: $0).version
        }
        #expect(versions == [0, 0, 1, 1, 2, 2])
        #expect(book.policy(ofKind: "Match", at: 500).version == 0)
    }

    @Test func `everything that is wrong is named at once, each with what would be right`() {
        let document = PolicyDocument(
            thresholds: ["delayStepSecond": 60, "graceSeconds": 5],
            rules: ["late": "loud", "lat": "alert"],
            quietHours: .init(from: "24:00", to: "7:00", timeZone: "Mars/Base", except: ["x"]),
            texts: [
                "german": ["late.title": .plain("Spät")],
                "de": [
                    "late.titel": .plain("Spät"), "late.body": .plain("{order} {minute}"),
                    "arriving.title": .plain(""),
                    "order": .plural(by: "number", forms: ["one": "x"]),
                    "first.title": .plain(String(repeating: "ä", count: 200)),
                ],
            ])
        let found = errors("PizzaDelivery", document)
        #expect(
            Set(found.map(\.pointer)) == [
                "/thresholds/delayStepSecond", "/thresholds/graceSeconds", "/rules/late",
                "/rules/lat", "/quietHours/from", "/quietHours/to", "/quietHours/timeZone",
                "/quietHours/except/0", "/texts/german", "/texts/de/late.titel",
                "/texts/de/late.body", "/texts/de/arriving.title", "/texts/de/order",
                "/texts/de/first.title",
            ])
        let details = Dictionary(uniqueKeysWithValues: found.map { ($0.pointer, $0.detail) })
        #expect(details["/thresholds/delayStepSecond"]?.contains("`delayStepSeconds`") == true)
        #expect(details["/thresholds/graceSeconds"] == "must be from 60 to 28800")
        #expect(details["/rules/lat"]?.contains("`late`") == true)
        #expect(details["/texts/de/late.body"]?.contains("{minutes}") == true)
    }

    @Test func `a new policy counts in whole numbers, and says no minute twice`() throws {
        func refusal(_ name: String, _ value: Double) -> String? {
            do throws(PolicyError) {
                _ = try ActivityCatalog.standard.newPolicy(
                    ofKind: "PizzaDelivery", PolicyDocument(thresholds: [name: value]))
                return nil
            } catch {
                guard case .refused(let errors) = error else { return nil }
                #expect(errors.map(\.pointer) == ["/thresholds/\(name)"])
                return errors.first?.detail
            }
        }
        let counts = PizzaDeliveryKind.allThresholds.filter { $0.name.hasSuffix("Count") }
        #expect(counts.count == 6)
        for count in counts {
            let (least, most) = (Int(count.range.lowerBound), Int(count.range.upperBound))
            #expect(
                refusal(count.name, 1.5) == "must be a whole number from \(least) to \(most)")
            #expect(refusal(count.name, 2) == nil)
        }
        #expect(refusal("coalesceSeconds", 1.5) == nil)
        for seconds in [0.5, 20, 59.9] {
            #expect(refusal("overdueStepSeconds", seconds) == "must be 0 or from 60 to 14400")
        }
        #expect(refusal("overdueStepSeconds", 0) == nil && refusal("overdueStepSeconds", 60) == nil)
    }

    @Test func `a threshold that refuses its own standard ends the program with a sentence`()
        async throws
    {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Threshold("restSeconds", 5, in: 60...900, "How long it rests.") }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("the standard of restSeconds must be from 60 to 900"), "\(said)")
    }

    @Test func `what was put before that is read, and no step is used that repeats a minute`()
        throws
    {
        let document = PolicyDocument(
            thresholds: ["budgetTokensCount": 1.5, "overdueStepSeconds": 20])
        let policy = try policy("PizzaDelivery", document)
        #expect(policy.thresholds == ["budgetTokensCount": 1.5, "overdueStepSeconds": 60])
        #expect(
            try self.policy("PizzaDelivery", PolicyDocument(thresholds: ["overdueStepSeconds": 0]))
                .thresholds == ["overdueStepSeconds": 0])
    }

    @Test func `a new policy has its languages in their usual spelling`() throws {
        let titles: [String: PolicyDocument.Text] = ["late.title": .plain("x")]
        let document = PolicyDocument(texts: ["PT-br": titles, "DE": titles])
        let catalog = ActivityCatalog.standard
        let policy = try catalog.newPolicy(ofKind: "PizzaDelivery", document, version: 3)
        #expect(policy.version == 3)
        #expect(Set(policy.texts.keys.map(\.rawValue)) == ["pt-BR", "de"])
        let stored = document.usuallySpelled
        #expect(stored.texts == ["pt-BR": titles, "de": titles])
        #expect(try self.policy("PizzaDelivery", stored, version: 3) == policy)
        // Decisions that were made under what was put before name languages as it did.
        let before = try self.policy("PizzaDelivery", document)
        #expect(Set(before.texts.keys.map(\.rawValue)) == ["PT-br", "DE"])
    }

    @Test func `a new policy has each language once, however it is spelled`() {
        let titles: [String: PolicyDocument.Text] = ["late.title": .plain("x")]
        let long: [String: PolicyDocument.Text] = [
            "late.body": .plain(String(repeating: "{reason}", count: 14))
        ]
        func pointers(_ texts: [String: [String: PolicyDocument.Text]]) -> [String] {
            do throws(PolicyError) {
                _ = try ActivityCatalog.standard.newPolicy(
                    ofKind: "PizzaDelivery", PolicyDocument(texts: texts))
                return []
            } catch {
                guard case .refused(let errors) = error else { return [] }
                return errors.map(\.pointer)
            }
        }
        #expect(pointers(["DE": titles, "de": titles]) == ["/texts/de"])
        #expect(pointers(["pt-BR": titles, "pt-br": titles, "pt": titles]) == ["/texts/pt-br"])
        // Errors are named where they stand in what was sent.
        #expect(pointers(["DE": long]) == ["/texts/DE/late.body"])
    }

    @Test func `a document comes back from the store as it went in`() throws {
        let document = PolicyDocument(
            thresholds: ["delayStepSeconds": 60.5], rules: ["late": "timely"],
            quietHours: .init(from: "22:00", to: "07:00", timeZone: "Europe/Berlin"),
            texts: [
                "pl": [
                    "late.title": .plain("Spóźnienie"),
                    "late.body": .plural(
                        by: "minutes",
                        forms: [
                            "one": "{minutes} minuta", "few": "{minutes} minuty",
                            "many": "{minutes} minut", "other": "{minutes} minuty",
                        ]),
                ]
            ])
        #expect(try WireCoder.decode(PolicyDocument.self, from: document.encoded) == document)
        #expect(
            try WireCoder.decode(PolicyDocument.self, from: document.encoded).encoded
                == document.encoded)
    }

    @Test(arguments: [
        (1, "1 minuta"), (2, "2 minuty"), (4, "4 minuty"), (5, "5 minut"), (12, "12 minut"),
        (22, "22 minuty"), (25, "25 minut"), (112, "112 minut"),
    ])
    func `a tenant's language has its own plural forms`(minutes: Int, expected: String) throws {
        let texts: [String: PolicyDocument.Text] = [
            "late.body": .plural(
                by: "minutes",
                forms: [
                    "one": "{minutes} minuta", "few": "{minutes} minuty",
                    "many": "{minutes} minut", "other": "?",
                ])
        ]
        let policy = try policy("PizzaDelivery", PolicyDocument(texts: ["pl": texts]))
        let book = Phrasebook(PizzaDeliveryKind.texts, own: policy.texts)
        let alert = book.alert(Words("late", ["minutes": .count(minutes)]))
        #expect(alert.text(for: "pl-PL").body == expected)
    }

    /// French has `one` for none as well, Polish has forms that English lacks, Japanese has none.
    @Test(arguments: ["fr", "pl", "ja"])
    func `a text that a language lacks is counted as the language that has it counts`(
        tag: String
    ) throws {
        let policy = try policy(
            "PizzaDelivery",
            PolicyDocument(
                texts: [
                    tag: ["late.title": .plain("!")],
                    "en": [
                        "overdue.body": .plural(
                            by: "minutes",
                            forms: [
                                "one": "{minutes} minute ago", "other": "{minutes} minutes ago",
                            ])
                    ],
                ]))
        let book = Phrasebook(PizzaDeliveryKind.texts, own: policy.texts)
        func said(_ name: String, _ minutes: Int) -> String {
            let arguments: Phrase.Arguments = [
                "order": .text("It"), "minutes": .count(minutes), "reason": .text("."),
            ]
            let words = Words(title: Phrase("late.title"), body: Phrase(name, arguments))
            return book.alert(words).text(for: tag).body
        }
        #expect(said("late.body", 0) == "It comes about 0 minutes later than promised.")
        #expect(said("late.body", 1) == "It comes about 1 minute later than promised.")
        #expect(said("late.body", 3) == "It comes about 3 minutes later than promised.")
        #expect(said("overdue.body", 0) == "0 minutes ago")
        #expect(said("overdue.body", 1) == "1 minute ago")
    }

    @Test func `a phone gets its language, the language without region, or the standard one`() {
        let alert = Alert(
            title: "Hi", body: "x",
            translations: [
                Language("pt-BR"): .init(title: "Oi", body: "x"),
                Language("pt"): .init(title: "Olá", body: "x"),
                Language("de"): .init(title: "Hallo", body: "x"),
            ])
        let titles = ["pt-BR", "pt_br", "pt-PT", "de-AT", "DE", "en-GB", "fr", "", nil].map {
            alert.text(for: $0).title
        }
        #expect(titles == ["Oi", "Oi", "Olá", "Hallo", "Hallo", "Hi", "Hi", "Hi", "Hi"])
    }

    /// 2026-03-29 and 2026-10-25 are the days on which Berlin's clocks change.
    @Test(arguments: [
        ("2026-01-15T20:59:59Z", false), ("2026-01-15T21:00:00Z", true),
        ("2026-01-16T05:59:59Z", true), ("2026-01-16T06:00:00Z", false),
        ("2026-03-29T04:59:59Z", true), ("2026-03-29T05:00:00Z", false),
        ("2026-07-15T20:00:00Z", true), ("2026-10-25T05:59:59Z", true),
        ("2026-10-25T06:00:00Z", false),
    ])
    func `quiet hours go across midnight and with the clocks`(
        time: String, isInQuietHours: Bool
    ) throws {
        let hours = PolicyDocument.Hours(
            from: "22:00", to: "07:00", timeZone: "Europe/Berlin", except: ["delivered"])
        let policy = try policy("PizzaDelivery", PolicyDocument(quietHours: hours))
        let moment = try #require(Moment(rfc3339: time))
        #expect(policy.isInQuietHours("late", at: moment) == isInQuietHours)
        #expect(!policy.isInQuietHours("delivered", at: moment))
    }
}
