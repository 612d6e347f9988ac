import Domain
import Foundation
import JSON
import Testing

/// What is read without `JSONDecoder` must be what `JSONDecoder` reads.
struct `What a decision has in JSON` {
    private func expectSame<T: PlainValue & Encodable & Equatable>(
        _ value: T, isPlain: Bool = true
    ) throws {
        let json = WireCoder.encode(value)
        #expect(try WireCoder.decode(T.self, from: json) == value)
        #expect(try JSONDecoder().decode(T.self, from: json) == value)
        #expect(reads(T.self, json) == isPlain)
    }

    private func reads<T: PlainValue>(_ type: T.Type, _ json: Data) -> Bool {
        json.withUnsafeBytes { bytes in
            var scanner = PlainJSONScanner(bytes.bindMemory(to: UInt8.self))
            return T(plain: &scanner) != nil && scanner.isAtEnd()
        }
    }

    @Test func `orders come back as they went`() throws {
        for treatment in PushOrder.Treatment.allCases {
            for flag in [true, false] {
                var order = PushOrder(
                    isImmediate: flag, isImmediateForFrequent: !flag, treatment: treatment,
                    budget: BudgetChange(
                        before: .init(standard: 10, frequent: 39.29, quiet: 0.001),
                        after: .init(standard: 9.058, frequent: 38.29, quiet: 30)))
                try expectSame(order)
                (order.restarts, order.budget) = (true, nil)
                try expectSame(order)
            }
        }
    }

    @Test(arguments: 0...19)
    func `texts are read to their end, whatever stands where in them`(place: Int) throws {
        let text = "0123456789abcdefghi"
        for scalar in (0..<0x100).compactMap(Unicode.Scalar.init) {
            let isBare = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
            let title = "\(text.prefix(place))\(scalar)\(text)"
            try expectSame(Alert(title: title, body: title), isPlain: isBare)
        }
    }

    @Test func `alerts come back as they went, in any language`() throws {
        var alert = Alert(title: "Ärger in Köln 🍕", body: "1 : 0")
        try expectSame(alert)
        alert.translations = [
            Language("pt-BR"): .init(title: "Gol", body: "1 a 0"),
            Language("ja"): .init(title: "ゴール", body: "1対0"),
        ]
        try expectSame(alert)
        alert.body = "He said \"goal\""
        try expectSame(alert, isPlain: false)
        alert.keys = .init(title: .plain("Goal"), body: .key("GOAL", arguments: ["1", "0"]))
        try expectSame(alert, isPlain: false)
    }

    @Test func `alert contexts come back as they went`() throws {
        var alertContext = AlertContext(
            weight: 3, subject: "goal/17", withdrawing: ["goal/16", "card/2"], isCorrection: true)
        try expectSame(alertContext)
        try expectSame(AlertContext())
        alertContext.dropped = [7]
        try expectSame(alertContext, isPlain: false)
        try expectSame(
            AlertContext.newest(
                "delay", AlertContext.Extent(seconds: 1_260, stepSeconds: 600), heardSeconds: 0.5),
            isPlain: false)
        alertContext.silence = .quietHours
        try expectSame(alertContext, isPlain: false)
    }

    @Test(
        arguments: [
            #"{"isImmediate":true,"isImmediateForFrequent":true}"#,
            #"{"isImmediate":1,"isImmediateForFrequent":true,"step":"held"}"#,
            #"{"isImmediate":true,"isImmediateForFrequent":true,"step":"someday"}"#,
            #"{"isImmediate":true,"isImmediateForFrequent":true,"step":"held"} x"#,
            #"{"isImmediate":true,"isImmediateForFrequent":true,"step":"held","budget":{}}"#,
            "", "[]", "{",
        ])
    func `what is no order is an error`(_ text: String) {
        #expect(throws: DecodingError.self) {
            try WireCoder.decode(PushOrder.self, from: Data(text.utf8))
        }
    }
}
