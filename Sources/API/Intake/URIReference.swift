import Encodings

/// RFC 3986, as far as an identifier needs it: the characters are legal and the encoding is whole.
enum URIReference {
    static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.isPercentEncoded(isLegal)
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
