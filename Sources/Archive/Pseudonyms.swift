import Encodings
import TLS

/// What stands for a text: the same for the same text and secret, and nothing that leads back.
struct Pseudonyms: Sendable {
    let key: [UInt8]

    /// For names that must stay different: no two texts have the same pseudonym.
    func name(_ text: some Collection<UInt8>) -> String {
        "p-" + Hexadecimal.encode(Array(HMACSHA256.code(for: Array(text), key: key).prefix(12)))
    }

    /// As many bytes, with letters for letters and digits for digits.
    /// - Parameter text: what is between the quotes of a JSON string, without escaped letters.
    func likeness(_ text: [UInt8]) -> [UInt8] {
        var stream = Stream(text, key)
        var bytes = text
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                // What is escaped is no letter.
                index += index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "u") ? 5 : 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"): bytes[index] = 48 + stream.next() % 10
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes[index] = 65 + stream.next() % 26
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
                bytes[index] = 97 + stream.next() % 26
            default: break
            }
            index += 1
        }
        return bytes
    }

    /// A number with as many digits, the first of which is not 0. An exponent is left out.
    func likeness(ofNumber text: [UInt8]) -> [UInt8] {
        var stream = Stream(text, key)
        var digits: [UInt8] = []
        var isFirst = true
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(isFirst ? 49 + stream.next() % 9 : 48 + stream.next() % 10)
                isFirst = false
            case UInt8(ascii: "-"), UInt8(ascii: "."): digits.append(byte)
            default: return digits
            }
        }
        return digits
    }

    private struct Stream {
        private var block: [UInt8]
        private var used = 0
        private let key: [UInt8]

        init(_ text: [UInt8], _ key: [UInt8]) {
            self.key = key
            block = HMACSHA256.code(for: text, key: key)
        }

        mutating func next() -> UInt8 {
            if used == block.count { (block, used) = (HMACSHA256.code(for: block, key: key), 0) }
            defer { used += 1 }
            return block[used]
        }
    }
}
