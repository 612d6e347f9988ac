import Testing

@testable import JSON

private func parse(_ text: String) throws(JSONError) -> JSON {
    try JSONParser.parse(Array(text.utf8))
}

private func refusal(_ text: String) -> JSONError? {
    do {
        _ = try parse(text)
        return nil
    } catch { return error }
}

@Test(arguments: [
    "1", "-0", "0.1", "1e5", "-1.5E-3", "123456789012345678901234567890.123456789",
    "9007199254740993", "1.7976931348623157e308", "1.000000000000000000000001", "0e-390", "-0.0E+2",
    "1e-0000000000000000000000003",
])
func `numbers keep every digit`(literal: String) throws {
    #expect(try parse(" [\(literal)] ").bytes == Array("[\(literal)]".utf8))
}

@Test(arguments: [
    "01", "-", "1.", ".5", "1e", "+1", "0x10", "NaN", "Infinity", "1e400", "-1e999999999", "1e-400",
    String(repeating: "0", count: 2), String(repeating: "9", count: 309),
    "0." + String(repeating: "9", count: 399), "1." + String(repeating: "9", count: 60) + "e10",
])
func `numbers of another form or beyond range are refused`(literal: String) {
    #expect(refusal(literal) != nil)
}

@Test func `a number of a log may be of any length, without an exponent`() throws {
    func parse(_ text: String) throws(JSONError) -> JSON {
        try JSONParser.parse(Array(text.utf8), takesLongNumbers: true)
    }
    let long = [
        String(repeating: "9", count: 309), "-0." + String(repeating: "0", count: 700) + "1",
    ]
    for literal in long { #expect(try parse(literal).bytes == Array(literal.utf8)) }
    for text in ["1e400", "0e-401", "01", #"{"a":1,"a":2}"#, #""\u0000""#] {
        #expect(throws: JSONError.self) { try parse(text) }
    }
}

@Test(arguments: [
    "0e-401", "0e401", "-0.0e-20000", "0e-16383", "0e9999999999", "-0E+99999999999999999999",
    "0e-99999999999999999999",
])
func `a number is refused that is too long when its exponent is written out`(literal: String) {
    let error = refusal("{\"a\":\(literal)}")
    #expect(error?.reason == .exponentTooLarge(digits: 400))
    #expect(error?.pointer == "/a")
}

@Test(arguments: [
    ("1", 0), ("1e5", 3), ("1e300", 296), ("1.5e-3", 0), ("12345e-2", 0), ("-1.25E+4", 0),
    (#"{"a":[1e300,"1e300",{"b":2e9}],"c":null}"#, 303),
])
func `what exponents cost when they are written out is counted`(text: String, bytes: Int) throws {
    #expect(try parse(text).exponentBytes == bytes)
}

@Test(arguments: [
    "", " ", "{", "[", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "tru",
    "nul", "truefalse", "[1] 2", "\"abc", "\"\\", "\"\\u12", "\"\\x41\"", "'a'", "// a\n1",
    "\u{FEFF}1", "\"a\tb\"",
])
func `what is not JSON is refused`(text: String) {
    #expect(refusal(text) != nil)
}

@Test func `strings are read with all their escapes and written again`() throws {
    let value = try parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83C\uDF55 ü""#)
    #expect(value.text == "\"\\/\u{8}\u{C}\n\r\tAé🍕 ü")
    let again = try JSONParser.parse(value.bytes)
    #expect(again == value)
}

@Test(arguments: [#""\uD83C""#, #""\uD83Cx""#, #""\uD83C\u0041""#, #""\uDF55""#])
func `half a surrogate pair is refused`(text: String) {
    #expect(refusal(text)?.reason == .loneSurrogate)
}

@Test func `a null character is refused because the log cannot store it`() {
    let error = refusal(#"{"a":["x","\u0000"]}"#)
    #expect(error?.reason == .nullCharacter)
    #expect(error?.pointer == "/a/1")
}

@Test(arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]])
func `text that is not UTF-8 is refused`(bytes: [UInt8]) {
    #expect(throws: JSONError(.invalidText, at: 0)) { try JSONParser.parse(bytes) }
}

@Test func `a member name that comes twice is refused with its place`() {
    let error = refusal(#"{"a":{"b/c~":1,"x":2,"b/c~":3}}"#)
    #expect(error?.reason == .duplicateMember)
    #expect(error?.pointer == "/a/b~1c~0")
    #expect(refusal(#"{"a":1,"\u0061":1}"#)?.reason == .duplicateMember)
    // A slash and an accent behind it are one character.
    #expect(refusal(#"{"/\u0301":[1,]}"#)?.pointer.utf8.starts(with: "/~1".utf8) == true)
}

@Test(arguments: [2, 15, 16, 17, 18, 40])
func `a name that comes twice is found among few members and among many`(count: Int) throws {
    let names = (1...count).map { "\"m\($0)\":0" }
    #expect(try parse("{\(names.joined(separator: ","))}").kind == "an object")
    for index in [0, count / 2, count - 1] {
        let repeated = names + [names[index]]
        let error = refusal("{\(repeated.joined(separator: ","))}")
        #expect(error?.reason == .duplicateMember)
        #expect(error?.pointer == "/m\(index + 1)")
    }
}

@Test(arguments: ["[", "{\"a\":"])
func `a depth bomb is refused without exhausting the stack`(opening: String) {
    let bomb = String(repeating: opening, count: 200_000)
    #expect(refusal(bomb)?.reason == .tooDeep(levels: JSONParser.jsonDepthMax))
}

@Test func `the deepest text allowed is read`() throws {
    let depth = JSONParser.jsonDepthMax
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(try parse(text).bytes == Array(text.utf8))
    #expect(refusal("[\(text)]") != nil)
}

@Test func `equal objects have equal canonical bytes whatever their order and spacing`() throws {
    let first = try parse(#"{"b":1,"a":{"d":[1, 2],"c":null},"é":true}"#)
    let second = try parse(#" { "é" : true , "a":{"c":null,"d":[1,2]},"b":1 } "#)
    #expect(first.canonicalBytes == second.canonicalBytes)
    let canonical = #"{"a":{"c":null,"d":[1,2]},"b":1,"é":true}"#
    #expect(first.canonicalBytes == Array(canonical.utf8))
}

@Test func `every truncation of a text is refused and none crashes`() throws {
    let text = Array(#"{"a":[1.5e3,"é\u00e9🍕",{"b":null}],"c":false}"#.utf8)
    _ = try JSONParser.parse(text)
    for length in 0..<text.count {
        #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.prefix(length))) }
    }
}

@Test func `no single changed byte crashes the parser`() {
    let text = Array(#"{"a":[1.5e3,"é\u00e9🍕",{"b":null}],"c":false}"#.utf8)
    var accepted = 0
    for index in text.indices {
        for byte in UInt8.min...UInt8.max {
            var changed = text
            changed[index] = byte
            if let value = try? JSONParser.parse(changed) {
                accepted += 1
                #expect((try? JSONParser.parse(value.bytes)) == value)
            }
        }
    }
    #expect(accepted > text.count)
}
