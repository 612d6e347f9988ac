import Encodings
import Foundation
import Testing

@Test func `base64url is what RFC 4648 says, for every length`() throws {
    #expect(Base64URL.encode(Array("foobar".utf8)) == "Zm9vYmFy")
    #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
    for count in 0..<70 {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
        let standard = Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        #expect(Base64URL.encode(bytes) == standard)
        #expect(Base64URL.decode(standard) == bytes)
    }
}

@Test(arguments: ["A", "AAAAA", "AA==", "A+", "A/", "AÄ", " AA", "AB", "AAB", "A\u{0}"])
func `a text that base64url does not give means nothing`(text: String) {
    #expect(Base64URL.decode(text) == nil)
}

@Test func `hexadecimal digits stand for bytes and numbers, and back`() {
    #expect(Hexadecimal.encode([0, 0x0a, 0xff]) == "000aff")
    #expect(Hexadecimal.encode(UInt64(0xab)) == "00000000000000ab")
    #expect(Hexadecimal.encode(UInt64.max) == String(repeating: "f", count: 16))
    #expect(Hexadecimal.decode("000aFf") == [0, 0x0a, 0xff])
    #expect(Hexadecimal.decode("") == [])
    for text in ["0", "0g", "+1", "٠٠", " 0"] { #expect(Hexadecimal.decode(text) == nil) }
}

/// Vectors of the algorithm's authors.
@Test func `FNV-1a gives the published values`() {
    #expect(FNV1a.hash("".utf8) == 0xcbf2_9ce4_8422_2325)
    #expect(FNV1a.hash("a".utf8) == 0xaf63_dc4c_8601_ec8c)
    #expect(FNV1a.hash("foobar".utf8) == 0x8594_4171_f739_67e8)
}
