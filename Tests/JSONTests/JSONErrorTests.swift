import Testing

@testable import JSON

struct RefusedText: Sendable, CustomTestStringConvertible {
    var text: String
    var reason: JSONError.Reason
    var offset: Int
    var pointer: String

    init(_ text: String, _ reason: JSONError.Reason, _ offset: Int, _ pointer: String = "") {
        (self.text, self.reason, self.offset, self.pointer) = (text, reason, offset, pointer)
    }

    var testDescription: String { text }
}

private let refusals = [
    RefusedText("", .unexpectedEnd, 0),
    RefusedText("[1,2,]", .unexpectedCharacter, 5, "/2"),
    RefusedText("[1 2]", .unexpectedCharacter, 3),
    RefusedText(#"{"a":{"b":[0,tru]}}"#, .unexpectedCharacter, 13, "/a/b/1"),
    RefusedText(#"{"a":1 "b":2}"#, .unexpectedCharacter, 7),
    RefusedText(#"{"a":[1,{"b":"#, .unexpectedEnd, 13, "/a/1/b"),
    RefusedText(#""abc"#, .unexpectedEnd, 4),
    RefusedText("[1] x", .trailingContent, 4),
    RefusedText("01", .trailingContent, 1),
    RefusedText("{\"x\":\"a\nb\"}", .invalidText, 7, "/x"),
    RefusedText("[\"\\n\u{1}\"]", .invalidText, 4, "/0"),
    RefusedText(#"["\uD83C"]"#, .loneSurrogate, 2, "/0"),
    RefusedText(#"{"":"\u0000"}"#, .nullCharacter, 5, "/"),
    RefusedText(#"{"a/b":{"m~n":1e400}}"#, .numberOutOfRange, 14, "/a~1b/m~0n"),
    RefusedText("[1.5e-400]", .numberOutOfRange, 1, "/0"),
    RefusedText(#"[{"a":1,"a":2}]"#, .duplicateMember, 8, "/0/a"),
    RefusedText("[0e-500]", .exponentTooLarge(digits: 400), 1, "/0"),
    RefusedText("1e" + String(repeating: "0", count: 63), .numberTooLong(digits: 64), 0),
    RefusedText(
        "[0." + String(repeating: "1", count: 399) + "]", .numberTooLong(digits: 400), 1, "/0"),
]

struct `A text that is refused` {
    private func error(
        _ text: String, depthMax: Int = JSONParser.jsonDepthMax, isStrict: Bool = true
    ) -> JSONError? {
        do {
            _ = try JSONParser.parse(
                Array(text.utf8), depthMax: depthMax, isStrict: isStrict)
            return nil
        } catch { return error }
    }

    @Test(arguments: refusals)
    func `is so for a reason, at an offset and in a value that is named`(
        refusal: RefusedText
    ) {
        let error = error(refusal.text)
        #expect(error?.reason == refusal.reason)
        #expect(error?.offset == refusal.offset)
        #expect(error?.pointer == refusal.pointer)
    }

    @Test(arguments: [0, 1, 2, 7])
    func `is nested deeper than the caller allows`(levels: Int) {
        for (opening, closing) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ count: Int) -> String {
                String(repeating: opening, count: count) + "1"
                    + String(repeating: closing, count: count)
            }
            #expect(error(nested(levels), depthMax: levels) == nil)
            let deeper = error(nested(levels + 1), depthMax: levels)
            #expect(deeper?.reason == .tooDeep(levels: levels))
            #expect(deeper?.offset == opening.utf8.count * levels)
            let name = opening == "[" ? "/0" : "/a"
            #expect(deeper?.pointer == String(repeating: name, count: levels))
        }
    }

    @Test func `is explained so that a sentence can end with it`() {
        let reasons: [JSONError.Reason] = [
            .unexpectedEnd, .unexpectedCharacter, .trailingContent, .tooDeep(levels: 3),
            .duplicateMember, .invalidText, .loneSurrogate, .nullCharacter,
            .numberTooLong(digits: 5), .numberOutOfRange, .exponentTooLarge(digits: 6),
        ]
        #expect(
            reasons.map { JSONError($0, at: 0).explanation } == [
                "the JSON text ends too early", "an unexpected character",
                "more text after the JSON value", "nested deeper than 3 levels",
                "the same member name twice in one object",
                "text that is not UTF-8, or an unescaped control character",
                "half of a surrogate pair, which is no character",
                "the character U+0000, which the log cannot store",
                "a number longer than 5 characters",
                "a number beyond the range of a 64-bit floating-point number",
                "a number longer than 6 characters when its exponent is written out",
            ])
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("a/b", "a~1b"), ("~", "~0"), ("~1", "~01"), ("/~/", "~1~0~1"),
        ("é/\u{301}", "é~1\u{301}"),
    ])
    func `is pointed at as RFC 6901 says`(name: String, escaped: String) {
        #expect(JSONPointer.escaped(name).utf8.elementsEqual(escaped.utf8))
    }
}

/// What is stored already is read although nobody could send it any more.
struct `A text that somebody has stored` {
    private func parse(_ text: String) throws(JSONError) -> JSON {
        try JSONParser.parse(Array(text.utf8), isStrict: false)
    }

    @Test func `has of two equal names the first`() throws {
        let value = try parse(#"{"a":1,"b":{"c":1,"c":2},"a":3}"#)
        #expect(value == ["a": .integer(1), "b": ["c": .integer(1)]])
        let many = (0..<40).map { "\"m\($0 % 20)\":\($0)" }.joined(separator: ",")
        let few = (0..<20).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        #expect(try parse("{\(many)}").bytes == Array("{\(few)}".utf8))
    }

    @Test func `has any character and any number`() throws {
        #expect(try parse(#""a\u0000b""#).text == "a\u{0}b")
        let numbers = ["1e400", "1e-400", "0e999999999", String(repeating: "9", count: 1_000)]
        for number in numbers { #expect(try parse(number) == .number(number)) }
    }

    @Test(arguments: [
        "", "[1,]", "01", #""\uD83C""#, "\"a\tb\"", #"{"a":1"#, "1 2", "1e", "-",
    ])
    func `is JSON, though`(text: String) {
        #expect(throws: JSONError.self) { try parse(text) }
    }
}
