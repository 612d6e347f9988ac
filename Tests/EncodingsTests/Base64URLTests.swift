import Encodings
import TestSupport
import Testing

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

private func randomBytes(_ count: Int, by generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}

/// Its vectors in section 10, without their padding.
@Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
    ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
])
func `base64url has the vectors of RFC 4648 in both directions`(plain: String, text: String) {
    #expect(Base64URL.encode(plain.utf8) == text)
    #expect(Base64URL.decode(text) == Array(plain.utf8))
    // As a part of a longer text, which is how tokens and cursors have it.
    #expect(Base64URL.decode("x.\(text)".dropFirst(2)) == Array(plain.utf8))
}

/// A ticket or a key that is written in two ways would be two of them to all who compare texts.
@Test func `two characters mean each byte once, and no other two mean anything`() {
    var meanings: [[UInt8]: String] = [:]
    for first in alphabet {
        for second in alphabet {
            let text = "\(first)\(second)"
            guard let bytes = Base64URL.decode(text) else { continue }
            #expect(bytes.count == 1)
            #expect(meanings.updateValue(text, forKey: bytes) == nil, "\(text) is the second")
        }
    }
    #expect(meanings.count == 256)
}

@Test(arguments: 0..<16)
func `of the last of three characters one in four means something`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let start = (0..<2).map { _ in alphabet[Int.random(in: 0..<64, using: &generator)] }
    let known = alphabet.filter { Base64URL.decode(String(start + [$0])) != nil }
    #expect(known == Array("AEIMQUYcgkosw048"))
}

@Test(arguments: 0..<20)
func `what is read as base64url is written as the same text`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in 0..<50 {
        let bytes = randomBytes(count, by: &generator)
        let text = Base64URL.encode(bytes)
        #expect(text.utf8.count == (count * 8 + 5) / 6)
        #expect(Base64URL.decode(text) == bytes)
        guard count > 0 else { continue }
        var changed = Array(text.utf8)
        let place = Int.random(in: 0..<changed.count, using: &generator)
        changed[place] = UInt8.random(in: 0x20..<0x7F, using: &generator)
        let other = String(decoding: changed, as: UTF8.self)
        guard let read = Base64URL.decode(other) else { continue }
        #expect(Base64URL.encode(read) == other)
        #expect((read == bytes) == (other == text))
    }
}
