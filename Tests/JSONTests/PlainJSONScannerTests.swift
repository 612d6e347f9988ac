import Foundation
import Testing

@testable import JSON

private func scan<Result>(
    _ bytes: [UInt8], _ body: (inout PlainJSONScanner) -> Result
) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
        var scanner = PlainJSONScanner(bytes)
        return body(&scanner)
    }
}

/// What the next value is, in words; nil when the scanner leaves it to a parser.
private func scalar(_ text: String) -> String? {
    scan(Array(text.utf8)) { (scanner: inout PlainJSONScanner) -> String? in
        guard let value = scanner.scalar() else { return nil }
        switch value {
        case .null: return "null"
        case .flag(let flag): return "\(flag)"
        case .integer(let number): return "\(number)"
        case .fraction: return "fraction"
        case .text(let text):
            return (text.isASCII ? "ASCII " : "text ") + scanner.string(text.range)
        }
    }
}

struct `A scanner of plain JSON` {
    @Test(arguments: [
        ("null", "null"), (" true", "true"), ("\t\r\nfalse", "false"), ("0", "0"), ("-0", "0"),
        ("-12", "-12"), ("123456789012345", "123456789012345"), ("1.5", "fraction"),
        ("-0.05", "fraction"), ("1234567890123.5", "fraction"), ("\"\"", "ASCII "),
        ("\"a b/c\"", "ASCII a b/c"), ("\"é🍕\"", "text é🍕"),
        ("\"0123456701234567é\"", "text 0123456701234567é"), ("\"\u{7f}\"", "ASCII \u{7f}"),
    ])
    func `takes what is plainly written`(text: String, said: String) {
        #expect(scalar(text) == said)
    }

    @Test(arguments: [
        "", " ", "tru", "nulL", "True", "[", "{", "]", "-", "+1", ".5", "1.", "1.e", "01", "-01",
        "00", "1e5", "1E5", "1.5e5", "1234567890123456", "12345678901234.5", "-1234567890123.5",
        "\"", "\"abc", "\"a\\nb\"", "\"a\nb\"", "\"0123456\\\"", "NaN", "'a'", "/",
    ])
    func `leaves everything else to a parser`(text: String) {
        #expect(scalar(text) == nil)
    }

    /// It may refuse what a parser takes, and never the other way round.
    @Test(arguments: 0..<20)
    func `takes no number that a parser reads otherwise`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        let signs = Array("0123456789-+.eE 0")
        var taken = 0
        for _ in 0..<500 {
            let text = String((0...random.below(7)).map { _ in signs[random.below(signs.count)] })
            let number = scan(Array(text.utf8)) { scanner -> Double? in
                let number = scanner.double()
                return scanner.isAtEnd() ? number : nil
            }
            guard let number else { continue }
            taken += 1
            let literal = text.trimmingCharacters(in: .whitespaces)
            #expect(try JSONParser.parse(Array(text.utf8)) == .number(literal))
            #expect(Double(literal) == number)
        }
        #expect(taken > 20)
    }

    /// The Unicode Standard, table 3-7, by the standard library's own check.
    @Test func `takes just the strings that are well-formed UTF-8`() {
        let edges: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        var wrong: [[UInt8]] = []
        for first in UInt8(0x80)...0xFF {
            for second in edges {
                for third in edges {
                    for fourth in edges {
                        let bytes = [first, second, third, fourth]
                        let quoted = [0x22] + bytes + [0x22]
                        let isTaken = scan(quoted) { $0.string()?.range == 1..<5 }
                        if isTaken != (String(validating: bytes, as: UTF8.self) != nil) {
                            wrong.append(bytes)
                        }
                    }
                }
            }
        }
        #expect(wrong == [])
    }

    @Test(arguments: [2, 3, 4])
    func `takes no character that the text cuts off`(count: Int) {
        let character = Array(["é", "中", "🍕"][count - 2].utf8)
        for length in 1..<count {
            let part = [UInt8(ascii: "\"")] + Array(character.prefix(length))
            let isTakenAtEnd = scan(part) { $0.string() != nil }
            let isTaken = scan(part + [UInt8(ascii: "\"")]) { $0.string() != nil }
            #expect(!isTakenAtEnd && !isTaken)
        }
    }

    @Test func `says where the last value began and where the next byte is`() {
        scan(Array(" \"ab\" , 17}".utf8)) { scanner in
            let range = scanner.string()?.range
            #expect(range == 2..<4)
            #expect(scanner.index == 5)
            let taken = [UInt8(ascii: ":"), UInt8(ascii: ",")].map { scanner.take($0) }
            #expect(taken == [false, true])
            let number = scanner.integer()
            #expect(number == 17)
            #expect(scanner.scalarStart == 8 && scanner.index == 10)
            let ends = [
                scanner.isAtEnd(), scanner.take(UInt8(ascii: "}")), scanner.isAtEnd(),
                scanner.take(UInt8(ascii: "}")),
            ]
            #expect(ends == [false, true, true, false])
        }
    }

    @Test func `compares what it has read by its bytes`() {
        scan(Array("abcabcab\u{E9}".utf8)) { scanner in
            #expect(scanner.equals(0..<3, "abc" as StaticString))
            #expect(!scanner.equals(0..<3, "abd" as StaticString))
            #expect(!scanner.equals(0..<3, "ab" as StaticString))
            #expect(scanner.equals(0..<3, 3..<6) && !scanner.equals(0..<3, 6..<9))
            #expect(!scanner.equals(0..<3, 3..<5))
            #expect(scanner.equals(8..<10, "\u{E9}" as String))
            #expect(!scanner.equals(8..<10, "e\u{301}" as String))
            #expect(scanner.equals(4..<4, "" as String))
        }
    }

    @Test(
        arguments: [
            ("[]", []), (" [ ] ", []), ("[\"a\"]", ["a"]), ("[ \"a\" , \"é\" ]", ["a", "é"]),
            ("[\"a\",]", nil), ("[1]", nil), ("[\"a\"", nil), ("[\"\\n\"]", nil), ("\"a\"", nil),
            ("[\"a\" \"b\"]", nil), ("[null]", nil),
        ] as [(String, [String]?)])
    func `takes an array of plain texts as a whole`(text: String, texts: [String]?) {
        #expect(scan(Array(text.utf8)) { $0.texts() } == texts)
    }

    @Test func `takes a value only if it is of the sort that is asked for`() {
        func read<Value>(_ text: String, _ body: (inout PlainJSONScanner) -> Value?) -> Value? {
            scan(Array(text.utf8), body)
        }
        #expect(read("true") { $0.flag() } == true)
        #expect(read("1") { $0.flag() } == nil)
        #expect(read("1.0") { $0.integer() } == nil)
        #expect(read("\"1\"") { $0.integer() } == nil)
        #expect(read("7") { $0.double() } == 7)
        #expect(read("-2.25") { $0.double() } == -2.25)
        #expect(read("null") { $0.double() } == nil)
        #expect(read("null") { $0.plainText() } == nil)
    }
}

struct `A plain object` {
    private func canonical(_ text: String) -> [UInt8]? {
        scan(Array(text.utf8)) { scanner in
            guard var object = PlainObject(&scanner), scanner.isAtEnd() else { return nil }
            var bytes: [UInt8] = []
            object.writeCanonically(to: &bytes)
            return bytes
        }
    }

    @Test(arguments: 0..<50)
    func `has the canonical bytes that a parser gives it`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        let texts = ["", "a", "é", "e\u{301}", "中 🍕", "a/b", "\u{7f}"]
        for _ in 0..<20 {
            let members = (0..<random.below(65)).map { number in
                let name = texts[random.below(texts.count)] + "\(number)"
                let value = [
                    "null", "true", "-12.50", "0", "\"\(texts[random.below(texts.count)])\"",
                ][random.below(5)]
                let space = ["", " ", "\n\t"][random.below(3)]
                return "\(space)\"\(name)\"\(space):\(space)\(value)\(space)"
            }
            let text = "{" + members.joined(separator: ",") + "}"
            let parsed = try JSONParser.parse(Array(text.utf8))
            #expect(canonical(text) == parsed.canonicalBytes, "\(text)")
        }
    }

    @Test(arguments: [
        "", "[]", "{", "{}}", #"{"a":1"#, #"{"a":1,}"#, #"{"a":1,"a":1}"#, #"{"a":[]}"#,
        #"{"a":{}}"#, #"{"a":"\n"}"#, #"{"\u0061":1}"#, #"{"a":1e5}"#, #"{"a" 1}"#, #"{a:1}"#,
        #"{"a":1 "b":2}"#, #"{"a":}"#, #"{"a":1}{"#,
    ])
    func `is none that is nested, unusual or not JSON`(text: String) {
        #expect(canonical(text) == nil)
    }

    @Test func `has as many members as can be compared one by one`() {
        func text(_ count: Int) -> String {
            "{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
        }
        #expect(canonical(text(64)) != nil)
        #expect(canonical(text(65)) == nil)
    }

    @Test func `gives a member by all the bytes of its name, with its literal`() {
        let text = "{\"n\":null,\"\u{E9}\": 1.50 ,\"e\u{301}\":\"x y\"} rest"
        scan(Array(text.utf8)) { scanner in
            guard let object = PlainObject(&scanner) else {
                Issue.record("it is plain")
                return
            }
            func literal(_ name: String) -> String? {
                object.member(name).map { object.scanner.string($0.literal) }
            }
            #expect(object.count == 3)
            #expect(object.has("n") && !object.has("m") && !object.has(""))
            #expect(literal("n") == "null")
            #expect(literal("\u{E9}") == "1.50")
            #expect(literal("e\u{301}") == "\"x y\"")
            #expect(literal("rest") == nil)
            // The scanner goes on behind it.
            let isNext = scanner.take(UInt8(ascii: "r"))
            #expect(isNext)
        }
    }
}
