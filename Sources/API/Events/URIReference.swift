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
        case 48...57, 65...90, 97...122: true
        default: punctuation.contains(byte)
        }
    }

    private static let punctuation = Set("-._~:/?#[]@!$&'()*+,;=".utf8)
}
