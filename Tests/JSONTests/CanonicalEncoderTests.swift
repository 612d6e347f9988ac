import Domain
import Foundation
import TestSupport
import Testing

@testable import JSON

/// What is stored and pushed is compared byte for byte, and written by two encoders over the years:
/// they must not differ in anything.
struct CanonicalEncoderTests {
    private func expectStock(
        _ value: some Encodable, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = String(decoding: try WireCoder.stock.encode(value), as: UTF8.self)
        let encoded = String(decoding: WireCoder.encode(value), as: UTF8.self)
        #expect(encoded == expected, sourceLocation: location)
        #expect(encoded.utf8.elementsEqual(expected.utf8), sourceLocation: location)
    }

    @Test func `every control character, quote and slash is escaped as the stock encoder does`()
        throws
    {
        let text = "0123456789abcdefghi"
        for scalar in (0..<0x100).compactMap(Unicode.Scalar.init) {
            try expectStock(["a\(scalar)b"] + (0...19).map { "\(text.prefix($0))\(scalar)\(text)" })
        }
        try expectStock([
            "", "\"", "\\", "a/b", "</script>", "\u{7f}\u{85}\u{2028}\u{2029}", "🍕 für Zoë",
            "e\u{301}", "\u{feff}", "\u{0}", "👩‍👩‍👧", String(repeating: "long ", count: 100),
        ])
    }

    @Test func `names are sorted as the stock encoder does, whatever they are`() throws {
        try expectStock([
            "": 1, " ": 2, "a": 3, "a ": 4, "a!": 5, "a\"": 6, "ab": 7, "abcdefgh": 8,
            "abcdefghi": 9, "abcdefgh\u{0}": 10, "abcdefg": 11, "B": 12, "é": 13, "e\u{302}": 14,
            "z": 15, "Z": 16, "ß": 17, "10": 18, "9": 19, "_": 20, "a\\": 21, "\n": 22, "🍕": 23,
            "abcdefghj": 24, "\u{0}": 25, "a\u{0}": 26, "\u{e000}": 27, "\u{ffff}": 28,
        ])
        try expectStock([3: "c", 20: "b", -1: "a"])
        try expectStock([true: 1, false: 2].map { [$0.key: $0.value] })
        try expectStock([Letter.b: 1, .a: 2])
    }

    @Test(arguments: 0..<50)
    func `any value is written as the stock encoder does`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 { try expectStock(AnyValue.made(by: &generator, depth: 4)) }
    }

    @Test func `thousandths have the stock form`() throws {
        try expectStock([
            0.001, -0.001, 0.01, 0.1, 0.999, 1.001, -1.5, 12.25, 99.99, 39.983, 1000.1, 0.0005,
            999_999_999.999, -999_999_999.999, 1_000_000_000, 1_000_000_000.001, 0.1 + 0.2,
            (0.3).nextUp, (39.983).nextDown,
        ])
        var generator = SeededGenerator(seed: 77)
        try expectStock(
            (0..<5000).map { _ in
                Double(Int.random(in: -2_000_000...2_000_000, using: &generator)) / 1000
            })
    }

    @Test func `numbers have the stock form`() throws {
        try expectStock([
            0, -0.0, 1, -1, 0.1, 1e15, 1e16, 1e17, 1e21, 1e-5, 1e-7, 1.5e300,
            .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, 9_007_199_254_740_992, 789_000_000.25,
        ])
        try expectStock([0, -0.0, 0.1, 16_777_216, 1e20, 1e-10, .leastNonzeroMagnitude] as [Float])
        try expectStock([Int.min, -1_000_000, -10, -9, 0, 9, 10, 99, 100, Int.max])
        try expectStock([UInt64.max])
        try expectStock(Integers())
        try expectStock([Decimal(string: "3.140"), Decimal(string: "-1e30")])
    }

    @Test(arguments: [0, 5_000] + Array(900...1_050))
    func `a value that writes itself is written whole, however long it is`(length: Int) throws {
        func state(_ letter: String) -> PizzaDeliveryAttributes.ContentState {
            let date = Date(timeIntervalSinceReferenceDate: 0)
            return .init(
                driverName: "Ada", deliveryTimer: date...date,
                note: String(repeating: letter, count: length) + letter)
        }
        func isJSON(_ bytes: Data) -> Bool {
            bytes.withUnsafeBytes { WireCoder.isJSON($0, of: state("a")) }
        }
        try expectStock(state("a"))
        let json = WireCoder.encode(state("a"))
        #expect(isJSON(json))
        #expect(!isJSON(json.dropLast()))
        #expect(!isJSON(json + Data("}".utf8)))
        #expect(!isJSON(WireCoder.encode(state("b"))))
    }

    @Test func `dates, ranges, data and addresses have the stock form`() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000.25)
        try expectStock(date...date.addingTimeInterval(60))
        try expectStock(["d": date, "e": Date(timeIntervalSinceReferenceDate: 0)])
        try expectStock([Data([0, 255, 62, 63]), Data()])
        try expectStock(["u": URL(string: "https://example.org/a/b?c=d&e=%20")])
        for microseconds: Int64 in [0, 1, -1, 1000, 999_999, 1_800_000_000_123_000] {
            try expectStock([Moment(microseconds: microseconds)])
        }
        try expectStock(Moment(rfc3339: "9999-12-31T23:59:59.999999Z"))
        try expectStock(Moment(rfc3339: "0000-01-01T00:00:00Z"))
    }

    @Test func `alerts and what they are about have the stock form`() throws {
        var alert = Alert(title: "Goal / \"1:0\"", body: "e\u{301}\n", sound: "horn")
        try expectStock(alert)
        alert.translations = [
            Language("pt-BR"): .init(title: "Gol", body: "1"),
            Language("de"): .init(
                title: "Tor", body: "2"), Language("pt"): .init(title: "Golo", body: "3"),
        ]
        alert.keys = .init(title: .plain("x"), body: .key("goal", arguments: ["1", "0"]))
        try expectStock(alert)
        var alertContext = AlertContext(weight: 3)
        try expectStock(alertContext)
        alertContext = AlertContext(
            weight: -1, subject: "goal/1", withdrawing: ["b", "a"], isCorrection: true)
        alertContext.amendments = [
            AlertContext.Amendment(subject: "goal/2", alert: alert),
            AlertContext.Amendment(
                subject: "delay", alert: alert,
                extent: AlertContext.Extent(seconds: 1_260.5, stepSeconds: 600)),
        ]
        alertContext.degree = AlertContext.Degree(
            AlertContext.Extent(seconds: 1_800, stepSeconds: 700), heardSeconds: 600.25)
        alertContext.silence = .quietHours
        alertContext.dropped = [7, 5]
        alertContext.carried = [KeptBackAlert(version: 4, alert: alert, alertContext: alertContext)]
        try expectStock(alertContext)
    }

    @Test func `every way of encoding a type has the stock form`() throws {
        try expectStock(Shape.allCases)
        try expectStock(Odd())
        try expectStock(Nothing())
        try expectStock([Nothing()])
        try expectStock(["n": Nothing()])
        try expectStock(Derived())
        try expectStock(Optionals(present: 1, absent: nil))
        try expectStock(Optionals(present: nil, absent: "a"))
        try expectStock([Int?.none, 1])
        try expectStock([String: Int]())
        try expectStock([[Int]]())
        try expectStock("alone")
        try expectStock(7)
        try expectStock(Int?.none)
    }

    @Test func `a member follows another in every form`() throws {
        try expectStock(Woven())
        try expectStock(Woven(listed: [2]))
        try expectStock(Woven(maybe: [3]))
        try expectStock(Woven(named: ["b": 4, "a": 5]))
        try expectStock(Woven(listed: [2], maybe: [3], named: ["a": 5]))
    }

    @Test func `what a value throws is thrown`() {
        struct Refusing: Encodable {
            struct No: Error {}
            func encode(to encoder: any Encoder) throws { throw No() }
        }
        #expect(throws: Refusing.No.self) { try CanonicalEncoder.encode(["a": Refusing()]) }
    }
}

/// Members that come after another one, each in a form of its own.
private struct Woven: CanonicalValue {
    var lifetime = 1
    var listed: [Int]?
    var maybe: [Int]?
    var named: [String: Int]?

    func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("lifetime", lifetime)
            if let listed { members.member("listed", array: listed) }
            members.member("maybe", encoding: maybe)
            if let named { members.member("named", naming: named.map { ($0.key, $0.value) }) }
        }
    }
}

private enum Letter: String, Codable, CodingKeyRepresentable { case a, b }

/// Without raw values: an object named for the case.
private enum Shape: Encodable, CaseIterable {
    case empty, labelled(width: Int, height: Double?), unlabelled(String, [Int])

    static let allCases: [Shape] = [
        .empty, .labelled(width: 1, height: 2), .labelled(width: 1, height: nil),
        .unlabelled("a", [1, 2]),
    ]
}

private struct Nothing: Encodable {
    func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: Key.self)
    }

    private enum Key: CodingKey { case none }
}

private struct Integers: Encodable {
    var a = Int8.min
    var b = Int16.min
    var c = Int32.min
    var d = Int64.min
    var e = UInt8.max
    var f = UInt16.max
    var g = UInt32.max
    var h = UInt.max
}

private struct Optionals: Encodable {
    var present: Int?
    var absent: String?
    @Null var null: Int? = nil

    /// Encoded as `null` when there is none.
    @propertyWrapper struct Null: Encodable {
        var wrappedValue: Int?

        init(wrappedValue: Int?) { self.wrappedValue = wrappedValue }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(wrappedValue)
        }
    }
}

/// Uses its encoder in every way that is allowed and that nobody uses.
private struct Odd: Encodable {
    func encode(to encoder: any Encoder) throws {
        var first = encoder.container(keyedBy: AnyKey.self)
        try first.encode(1, forKey: "z")
        var nested = first.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
        var list = first.nestedUnkeyedContainer(forKey: "list")
        try nested.encode(2, forKey: "late")
        try list.encode("x")
        var second = encoder.container(keyedBy: AnyKey.self)
        try second.encode("replaced", forKey: "z")
        try second.encodeNil(forKey: "null")
        try second.encode(0.5, forKey: "é")
        var same = second.nestedContainer(keyedBy: AnyKey.self, forKey: "nested")
        try same.encode(3, forKey: "early")
        try list.encodeNil()
        var inner = list.nestedContainer(keyedBy: AnyKey.self)
        try inner.encode(true, forKey: "flag")
        var innerList = list.nestedUnkeyedContainer()
        try innerList.encode(list.count)
        try innerList.encode(Float(1.5))
        try Nothing().encode(to: list.superEncoder())
        try [1, 2].encode(to: first.superEncoder())
        try "s".encode(to: first.superEncoder(forKey: "other"))
    }
}

private class Base: Encodable {
    var base = 1
}

private final class Derived: Base {
    var derived = "d"

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        try container.encode(derived, forKey: "derived")
        try super.encode(to: container.superEncoder())
    }
}

private struct AnyKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral: String) { stringValue = stringLiteral }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private enum AnyValue {
    static func made(by generator: inout SeededGenerator, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: .null
        case 1: .bool(Bool.random(using: &generator))
        case 2: .integer(Int(truncatingIfNeeded: generator.next()))
        case 3: .number("\(number(by: &generator))")
        case 4, 5: .string(text(by: &generator))
        case 6:
            .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                    made(by: &generator, depth: depth - 1)
                })
        default:
            .object(
                (0..<Int.random(in: 0..<20, using: &generator)).reduce(into: [String: JSON]()) {
                    members, _ in
                    members[text(by: &generator)] = made(by: &generator, depth: depth - 1)
                }.map { JSON.Member(name: $0.key, value: $0.value) })
        }
    }

    private static func number(by generator: inout SeededGenerator) -> Double {
        let number = Double(bitPattern: generator.next())
        return number.isFinite ? number : 0
    }

    private static func text(by generator: inout SeededGenerator) -> String {
        let pieces = [
            "a", "b", "Z", "é", "e\u{301}", "\"", "\\", "/", "\n", "\u{1f}", "🍕", " ", "0",
        ]
        return (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        }.joined()
    }
}
