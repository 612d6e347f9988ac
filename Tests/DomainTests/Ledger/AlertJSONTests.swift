import Domain
import Foundation
import JSON
import TestSupport
import Testing

/// Decisions are compared byte by byte with those that a replay makes again, so the fast writer and
/// Foundation's own must agree on every one.
struct `The JSON of a decision's parts` {
    private static let texts = [
        "Goal", "", "a/b", "He said \"goal\"", "back\\slash", "\u{0}\u{1F}\n\t", "Ärger 🍕",
        "\u{2028}", "e\u{301}", "\u{7F}", "</script>",
    ]

    private func stock(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func expectStock<T: CanonicalValue & Decodable & Equatable>(_ value: T) throws {
        let json = WireCoder.encode(value)
        #expect(try stock(value) == String(decoding: json, as: UTF8.self))
        #expect(try JSONDecoder().decode(T.self, from: json) == value)
        #expect(json.withUnsafeBytes { WireCoder.isJSON($0, of: value) })
    }

    private func text(_ random: inout RandomData) -> String { random.pick(Self.texts) }

    private func alert(_ random: inout RandomData) -> Alert {
        var alert = Alert(title: text(&random), body: text(&random), sound: text(&random))
        for tag in ["de", "fr", "ja", "pt-BR"] where random.below(4) == 0 {
            alert.translations[Language(tag)] = .init(title: text(&random), body: text(&random))
        }
        if random.below(3) == 0 {
            alert.keys = .init(
                title: .plain(text(&random)),
                body: .key(text(&random), arguments: random.flag() ? [] : [text(&random), "1"]))
        }
        return alert
    }

    private func alertContext(_ random: inout RandomData, depth: Int = 0) -> AlertContext {
        var alertContext = AlertContext(
            weight: random.pick([0, -1, 7, .max, .min]),
            subject: random.flag() ? nil : text(&random),
            withdrawing: random.flag() ? [] : [text(&random), text(&random)],
            isCorrection: random.flag())
        if random.flag() {
            alertContext.degree = AlertContext.Degree(
                AlertContext.Extent(seconds: Double(random.below(9_000)), stepSeconds: 600),
                heardSeconds: Double(random.below(9)) / 4)
        }
        if random.flag() {
            alertContext.changedValue = AlertContext.ChangedValue(
                heard: text(&random), now: text(&random))
        }
        alertContext.silence = random.pick([nil] + Silence.allCases)
        alertContext.dropped = random.flag() ? [] : [1, .max]
        if depth < 2, random.below(3) == 0 {
            alertContext.carried = [
                KeptBackAlert(
                    version: .max, alert: alert(&random),
                    alertContext: self.alertContext(&random, depth: depth + 1)
                )
            ]
        }
        return alertContext
    }

    @Test func `is read of programs that counted in steps, in steps of ten minutes`() throws {
        let degree = try WireCoder.decode(
            AlertContext.Degree.self, from: Data(#"{"heard":1,"steps":3}"#.utf8))
        let three = AlertContext.Extent(seconds: 1_800, stepSeconds: 600)
        #expect(degree == AlertContext.Degree(three, heardSeconds: 600))
        for (steps, exceeds) in [(1, false), (2, true)] {
            let amendment = try WireCoder.decode(
                AlertContext.Amendment.self,
                from: Data(
                    """
                    {"alert":{"title":"T","body":"B","sound":"S"},"steps":\(steps),"subject":"a"}
                    """.utf8))
            let extent = try #require(amendment.extent)
            #expect(extent.exceeds(heardSeconds: degree.heardSeconds) == exceeds)
        }
    }

    @Test func `is what Foundation would write, for any alert`() throws {
        var random = RandomData(seed: 8)
        for _ in 0..<500 { try expectStock(alert(&random)) }
    }

    @Test func `is what Foundation would write, whatever an alert is about`() throws {
        var random = RandomData(seed: 9)
        for _ in 0..<500 { try expectStock(alertContext(&random)) }
    }

    @Test func `is what Foundation would write, for any order`() throws {
        var random = RandomData(seed: 10)
        let amounts = [0, 1, 39.29, 0.001, -2.5, 1e-7, 123_456.789]
        for _ in 0..<500 {
            func level() -> BudgetChange.Level {
                .init(
                    standard: random.pick(amounts), frequent: random.pick(amounts),
                    quiet: random.pick(amounts))
            }
            var order = PushOrder(
                isImmediate: random.flag(), isImmediateForFrequent: random.flag(),
                treatment: random.pick(PushOrder.Treatment.allCases),
                budget: random.flag() ? nil : BudgetChange(before: level(), after: level()))
            order.restarts = random.flag()
            try expectStock(order)
        }
    }

    /// Most alerts have none of these, and millions of rows would be longer for nothing.
    @Test func `has no members for what is not there`() throws {
        #expect(
            try stock(Alert(title: "a", body: "b"))
                == #"{"body":"b","sound":"default","title":"a"}"#)
        #expect(try stock(AlertContext()) == #"{"isCorrection":false,"weight":0,"withdraws":[]}"#)
        #expect(
            try stock(PushOrder())
                == #"{"isImmediate":false,"isImmediateForFrequent":false,"step":"asWanted"}"#)
    }

    /// It stands in a column of its own, where it can be searched for.
    @Test func `leaves out when an order is to be carried out`() throws {
        let order = PushOrder(sendAfter: Moment(unixSeconds: 5))
        let read = try WireCoder.decode(PushOrder.self, from: WireCoder.encode(order))
        #expect(read.sendAfter == nil)
        #expect(read == PushOrder())
    }

    @Test func `says of a restart that it is one, and else nothing`() throws {
        var order = PushOrder()
        order.restarts = true
        #expect(try stock(order).contains(#""restarts":true"#))
        order.restarts = false
        #expect(order == PushOrder())
        #expect(try stock(order) == stock(PushOrder()))
    }

    @Test(arguments: [
        #"{"title":"a","body":"b"}"#, #"{"title":"a","body":1,"sound":"s"}"#,
        #"{"title":"a","body":"b","sound":"s","translations":{"de":{"title":"a"}}}"#,
        #"{"title":"a","body":"b","sound":"s","translations":[]}"#,
        #"{"title":"a","body":"b","sound":"s","keys":{"title":"x"}}"#, "null", "[]",
        #"{"title":"a","body":"b","sound":"s"} {}"#,
    ])
    func `is no alert where a part of it is missing or of another sort`(json: String) {
        #expect(throws: DecodingError.self) {
            try WireCoder.decode(Alert.self, from: Data(json.utf8))
        }
    }

    @Test(arguments: [
        #"{"withdraws":[],"isCorrection":false}"#, #"{"weight":0,"isCorrection":false}"#,
        #"{"weight":0,"withdraws":[]}"#, #"{"weight":0.5,"withdraws":[],"isCorrection":false}"#,
        #"{"weight":0,"withdraws":"a","isCorrection":false}"#,
        #"{"weight":0,"withdraws":[],"isCorrection":false,"silence":"asleep"}"#,
        #"{"weight":0,"withdraws":[],"isCorrection":false,"dropped":["3"]}"#,
        #"{"weight":0,"withdraws":[],"isCorrection":false,"carried":[{"version":1}]}"#,
    ])
    func `is nothing that an alert is about where a part of it is wrong`(json: String) {
        #expect(throws: DecodingError.self) {
            try WireCoder.decode(AlertContext.self, from: Data(json.utf8))
        }
    }

    /// The plain reader does not know them, and must leave them to one that skips them.
    @Test func `may have members that nobody knows`() throws {
        let alert = #"{"title":"a","body":"b","sound":"default","icon":{"name":"x"}}"#
        #expect(
            try WireCoder.decode(Alert.self, from: Data(alert.utf8)) == Alert(title: "a", body: "b")
        )
        let alertContext = #"{"weight":1,"withdraws":[],"isCorrection":false,"colour":"red"}"#
        #expect(
            try WireCoder.decode(AlertContext.self, from: Data(alertContext.utf8))
                == AlertContext(weight: 1))
        let order = #"{"isImmediate":true,"isImmediateForFrequent":false,"step":"held","x":0}"#
        #expect(
            try WireCoder.decode(PushOrder.self, from: Data(order.utf8))
                == PushOrder(isImmediate: true, treatment: .held))
    }
}

struct `A text that an app has itself` {
    @Test(arguments: [
        (AppText.plain("Goal"), #"["Goal"]"#),
        (.key("GOAL", arguments: []), #"[{"loc-key":"GOAL"}]"#),
        (
            .key("GOAL", arguments: ["1", "0"]),
            #"[{"loc-args":["1","0"],"loc-key":"GOAL"}]"#
        ),
    ])
    func `has the form of a push`(text: AppText, json: String) throws {
        #expect(String(decoding: WireCoder.encode([text]), as: UTF8.self) == json)
        #expect(try WireCoder.decode([AppText].self, from: Data(json.utf8)) == [text])
    }

    @Test(arguments: ["[7]", "[{}]", #"[{"loc-args":["1"]}]"#, #"[{"loc-key":1}]"#, "[null]"])
    func `has no other form`(json: String) {
        #expect(throws: DecodingError.self) {
            try WireCoder.decode([AppText].self, from: Data(json.utf8))
        }
    }

    @Test func `has arguments that are all texts`() {
        #expect(throws: DecodingError.self) {
            let json = #"[{"loc-key":"GOAL","loc-args":[1]}]"#
            return try WireCoder.decode([AppText].self, from: Data(json.utf8))
        }
    }
}
