import Foundation
import JSON
import Testing

@Test func `a text in JSON is read back as it was`() throws {
    let text = (0..<0x80).map { String(Unicode.Scalar(UInt8($0))) }.joined() + "é😀\u{2028}"
    var json: [UInt8] = []
    CanonicalText.append(text, to: &json)
    #expect(try JSONDecoder().decode(String.self, from: Data(json)) == text)
    var plain: [UInt8] = []
    CanonicalText.append("a\"\n\u{1}", to: &plain)
    #expect(String(decoding: plain, as: UTF8.self) == #""a\"\n\u0001""#)
    var numbered: [UInt8] = []
    CanonicalText.append("a\"\n\u{1}", to: &numbered, controls: .numbered)
    #expect(String(decoding: numbered, as: UTF8.self) == #""a\"\u000a\u0001""#)
}

@Test func `any value comes through Codable as it was`() throws {
    let text = #"{"a":[1,-2,18446744073709551615,1.5,"x",true,null,{}],"b":{"é":[]}}"#
    let value = try JSONParser.parse(Array(text.utf8))
    #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == value)
    #expect(WireCoder.encode(value) == Data(text.utf8))
    #expect(WireCoder.encode(JSON.encoded(Data(text.utf8))) == Data(text.utf8))
}

@Test func `a member is replaced, added and removed by its name`() throws {
    var object: JSON = ["a": .integer(1), "b": .null]
    object["a"] = "one"
    object["c"] = .bool(true)
    object["b"] = nil
    #expect(object == ["a": "one", "c": .bool(true)])
    var text: JSON = "no object"
    text["a"] = .null
    #expect(text == "no object")
}
