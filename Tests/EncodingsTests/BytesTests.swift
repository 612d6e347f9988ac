import Encodings
import Foundation
import TestSupport
import Testing

@Test func `each byte is two lower-case digits, and digits of either case are that byte`() {
    for byte in UInt8.min...UInt8.max {
        let text = Hexadecimal.encode([byte])
        #expect(text == digits(UInt64(byte), 2))
        #expect(Hexadecimal.decode(text) == [byte])
        #expect(Hexadecimal.decode(text.uppercased()) == [byte])
    }
}

@Test func `a hexadecimal digit is one in ASCII and nothing else is`() {
    for byte in UInt8.min...UInt8.max {
        let expected = UInt8(String(Unicode.Scalar(byte)), radix: 16)
        #expect(Hexadecimal.value(of: byte) == expected, "\(byte)")
    }
}

@Test(arguments: 0..<10)
func `a number is its sixteen digits`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for bits in 0..<64 {
        let number: UInt64 = generator.next() >> UInt64(bits)
        let text = Hexadecimal.encode(number)
        #expect(text == digits(number, 16))
        #expect(Hexadecimal.decode(text)?.count == 8)
    }
}

/// As the standard library writes them, with zeros in front.
private func digits(_ number: UInt64, _ count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: count - text.count) + text
}

/// More vectors of the algorithm's authors.
@Test(
    arguments: [
        ("b", 0xaf63_df4c_8601_f1a5), ("fo", 0x0898_5907_b541_d342),
        ("foo", 0xdcb2_7518_fed9_d577), ("foob", 0xdd12_0e79_0c25_12af),
        ("fooba", 0xcac1_65af_a2fe_f40a),
    ] as [(String, UInt64)])
func `FNV-1a gives the published value in whatever storage the bytes are`(
    text: String, hash: UInt64
) {
    let bytes = Array(text.utf8)
    #expect(FNV1a.hash(bytes) == hash)
    #expect(FNV1a.hash(bytes.lazy.map { $0 }) == hash)
    #expect(FNV1a.hash(Data(bytes)) == hash)
    #expect(FNV1a.hash((Data([0, 1]) + bytes)[2...]) == hash)
    #expect(FNV1a.hash(([9] + bytes)[1...]) == hash)
}

struct `A text that is percent-encoded` {
    private func passes(_ text: String) -> Bool {
        text.utf8.isPercentEncoded { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    }

    @Test(arguments: ["", "a", "%41", "a%2fb", "%ff%FF", "%25", "a%25z", "%00"])
    func `has two digits behind each sign and legal bytes elsewhere`(text: String) {
        #expect(passes(text))
    }

    @Test(
        arguments: [
            "%", "a%", "%4", "%4g", "%g4", "%%41", "% 41", "%-1", "%+1", "%4%31", "A", "a b", "é",
            "%é", "%4é", "%\u{FF14}\u{FF11}",
        ])
    func `is none with anything else`(text: String) {
        #expect(!passes(text))
    }

    @Test func `is asked about neither the sign nor its digits`() {
        var asked: [UInt8] = []
        let isEncoded = "x%41%7ay%25".utf8.isPercentEncoded { byte in
            asked.append(byte)
            return true
        }
        #expect(isEncoded)
        #expect(asked == Array("xy".utf8))
    }
}

@Test func `bytes are the same only if each of them is`() {
    func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { one.isSame(as: $0) } }
    }
    let bytes = (0..<40).map { UInt8($0) }
    #expect(isSame(bytes, bytes.map { $0 }))
    for index in bytes.indices {
        var other = bytes
        other[index] ^= 0x80
        #expect(!isSame(bytes, other), "\(index)")
        #expect(!isSame(bytes, Array(bytes[..<index])))
        #expect(!isSame(Array(bytes[..<index]), bytes))
    }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(nothing.isSame(as: nothing))
    bytes.withUnsafeBytes { whole in
        #expect(!nothing.isSame(as: whole) && !whole.isSame(as: nothing))
        #expect(nothing.isSame(as: UnsafeRawBufferPointer(rebasing: whole[..<0])))
    }
}

@Test func `words of the program are appended with all their bytes`() {
    var bytes: [UInt8] = [7]
    bytes.append("é\u{0}/" as StaticString)
    bytes.append("" as StaticString)
    #expect(bytes == [7] + Array("é\u{0}/".utf8))
}
