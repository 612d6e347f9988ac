import Foundation
import Testing

@testable import JSON

struct `Any JSON value` {
    @Test(arguments: 0..<60)
    func `is read as it is written, to the byte`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        let value = random.value(depth: 4)
        #expect(try JSONParser.parse(value.bytes).bytes == value.bytes)
        var appended = Array("x".utf8)
        value.append(to: &appended)
        #expect(appended == Array("x".utf8) + value.bytes)
    }

    @Test(arguments: 0..<60)
    func `has one canonical text, however it is written`(seed: UInt64) throws {
        var random = RandomJSON(seed: 1_000 + seed)
        let value = random.value(depth: 4)
        let canonical = value.canonicalBytes
        for _ in 0..<5 {
            let text = random.written(value)
            let read = try JSONParser.parse(Array(text.utf8))
            #expect(read.canonicalBytes == canonical, "\(text)")
        }
        let again = try JSONParser.parse(canonical)
        // Sorted already at each level.
        #expect(again.bytes == canonical && again.canonicalBytes == canonical)
    }

    @Test(arguments: 0..<60)
    func `is read by Foundation as well`(seed: UInt64) throws {
        var random = RandomJSON(seed: 2_000 + seed)
        let value = JSON.array([random.value(depth: 3)])
        _ = try JSONDecoder().decode(JSON.self, from: Data(value.canonicalBytes))
        _ = try JSONSerialization.jsonObject(with: Data(random.written(value).utf8))
    }

    /// What the log gives back has no exponents, so its size is reckoned with beforehand.
    @Test(arguments: 0..<60)
    func `is no longer than was reckoned once its exponents are written out`(seed: UInt64) {
        var random = RandomJSON(seed: 3_000 + seed)
        for _ in 0..<50 {
            let literal = random.number()
            let bytes = NumberLiteral.bytesWrittenOut(literal)
            let written = writtenOut(literal)
            #expect(written.utf8.count <= bytes, "\(literal) is \(written)")
            let hasLeadingZero = literal.drop { $0 == "-" }.hasPrefix("0")
            #expect(hasLeadingZero || written.utf8.count == bytes, "\(literal) is \(written)")
            let member = JSON.Member(name: "1e9", value: .number(literal))
            let more = max(0, bytes - literal.utf8.count)
            #expect(JSON.array([.object([member]), .string("1e9")]).exponentBytes == more)
        }
    }

    /// With its point moved digit by digit.
    private func writtenOut(_ literal: String) -> String {
        let parts = literal.lowercased().split(separator: "e")
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".").map { String($0) }
        var (whole, fraction) = (mantissa[0], mantissa.count > 1 ? mantissa[1] : "")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        for _ in 0..<max(0, exponent) {
            whole += fraction.isEmpty ? "0" : String(fraction.removeFirst())
        }
        for _ in 0..<max(0, -exponent) {
            fraction = (whole.isEmpty ? "0" : String(whole.removeLast())) + fraction
        }
        let significant = String(whole.drop { $0 == "0" })
        return (literal.hasPrefix("-") ? "-" : "") + (significant.isEmpty ? "0" : significant)
            + (fraction.isEmpty ? "" : "." + fraction)
    }
}

struct `A member of an object` {
    private let object = JSON.object([
        .init(name: "n", value: .null), .init(name: "\u{E9}", value: "one"),
        .init(name: "e\u{301}", value: "other"), .init(name: "t", value: .bool(false)),
    ])

    @Test func `that is null is absent, and one that is false is not`() {
        #expect(object["n"] == nil)
        #expect(object["x"] == nil)
        #expect(object["t"] == .bool(false))
        #expect(JSON.array([])["n"] == nil && JSON.string("n")["n"] == nil)
    }

    @Test func `is found and replaced by all the bytes of its name`() {
        #expect(object["\u{E9}"] == "one")
        #expect(object["e\u{301}"] == "other")
        var changed = object
        changed["e\u{301}"] = .integer(2)
        changed["n"] = .integer(3)
        #expect(changed["\u{E9}"] == "one")
        changed["t"] = nil
        changed["absent"] = nil
        #expect(
            changed.bytes
                == Array("{\"n\":3,\"\u{E9}\":\"one\",\"e\u{301}\":2}".utf8))
    }

    @Test(arguments: [0, 15, 16, 40])
    func `may look like another one, among few and among many`(others: Int) throws {
        let names = (0..<others).map { "m\($0)" } + ["\u{E9}", "e\u{301}"]
        let text = "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        #expect(try JSONParser.parse(Array(text.utf8)).bytes == Array(text.utf8))
    }
}

struct `What a JSON value says of itself` {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("-7", -7), ("1.0", 1), ("-3.000", -3), ("0.0", 0),
            ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("1.5", nil), ("0.01", nil),
        ] as [(String, Int64?)])
    func `is a whole number without a fraction, or with one of zeros`(
        literal: String, number: Int64?
    ) {
        #expect(JSON.number(literal).wholeNumber == number)
    }

    @Test func `is no number and no text where it is something else`() {
        let others: [JSON] = [.null, .bool(true), .array([]), .object([]), .string("1")]
        for other in others { #expect(other.wholeNumber == nil) }
        for other in others.dropLast() { #expect(other.text == nil) }
        #expect(JSON.number("1").text == nil)
        #expect(JSON.string("").text == "")
        #expect(JSON.optional(nil) == .null && JSON.optional("") == .string(""))
        #expect(JSON.integer(UInt64.max) == .number("18446744073709551615"))
    }

    @Test func `completes a sentence about what was found`() {
        let values: [JSON] = [
            .null, .bool(true), .number("1"), .string(""), .array([]), .object([]),
            .encoded(Data("{}".utf8)),
        ]
        #expect(
            values.map(\.kind) == [
                "null", "a boolean", "a number", "a string", "an array", "an object",
                "an object",
            ])
    }

    @Test func `is refused by an encoder if what it has encoded is no JSON`() {
        #expect(throws: JSONError(.unexpectedEnd, at: 1)) {
            try CanonicalEncoder.encode(JSON.encoded(Data("{".utf8)))
        }
    }

    @Test func `comes from a stock decoder with the digits that a number needs`() throws {
        let text = #"{"b":[0.1,1e300,-9223372036854775808],"a":1.0}"#
        let value = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
        #expect(
            String(decoding: value.bytes, as: UTF8.self)
                == #"{"a":1,"b":[0.1,1e+300,-9223372036854775808]}"#)
    }
}
