import Encodings

/// RFC 3986, as far as an identifier needs it: the characters are legal and the encoding is whole.
enum URIReference {
    static func isValid(_ text: String) -> Bool {
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.next(), let low = bytes.next(),
                    Hexadecimal.value(of: high) != nil, Hexadecimal.value(of: low) != nil
                else { return false }
            } else if !isLegal(byte) {
                return false
            }
        }
        return !text.isEmpty
    }

    private static func isLegal(_ byte: UInt8) -> Bool {
        switch byte {
        // Digits, letters, and `-._~:/?#[]@!$&'()*+,;=`, where `&'()*+,-./` and the digits up to
        // `;` stand together.
        case UInt8(ascii: "&")...UInt8(ascii: ";"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "?")...UInt8(ascii: "["), UInt8(ascii: "!"), UInt8(ascii: "#"),
            UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "]"), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
