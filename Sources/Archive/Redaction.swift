import Domain
import Foundation
import TLS

/// Puts pseudonyms in the place of what people wrote and are called, so that a log can leave the
/// house. Equal texts get equal pseudonyms, of the same length in bytes, with letters for letters
/// and digits for digits: what is folded from it differs in these texts and in nothing else.
public struct Redaction: Sendable {
    /// Fields of events' data that name people or are free text.
    public static let fields: Set<String> = [
        "avatar", "bio", "description", "driverName", "heroName", "orderNumber", "player",
        "playerOff", "playerOn", "reason",
    ]
    /// Bytes that a key has at least.
    public static let keyBytesMin = 16

    private let key: [UInt8]

    /// - Parameter key: secret; with the same one, texts get the same pseudonyms again.
    public init(key: [UInt8]) {
        precondition(key.count >= Self.keyBytesMin, "a short key")
        self.key = key
    }

    func redacted(_ recorded: RecordedEvent) -> RecordedEvent {
        var other = recorded
        other.event.data = Data(redacted(data: Array(recorded.event.data)))
        return other
    }

    /// Goes through the object byte by byte: nothing but strings in fields is touched, so that no
    /// number loses a digit.
    func redacted(data: [UInt8]) -> [UInt8] {
        var bytes = data
        var depth = 0
        var name: String?
        var isValue = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":") where depth == 1: isValue = true
            case UInt8(ascii: ",") where depth == 1: isValue = false
            case UInt8(ascii: "\""):
                let end = Self.end(ofString: index, in: bytes)
                if depth == 1, !isValue {
                    name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
                } else if depth == 1, let name, Self.fields.contains(name) {
                    replace(&bytes, (index + 1)..<end)
                }
                index = end
            default: break
            }
            index += 1
        }
        return bytes
    }

    /// - Returns: index of the closing quote.
    private static func end(ofString start: Int, in bytes: [UInt8]) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, bytes.count)
    }

    private func replace(_ bytes: inout [UInt8], _ range: Range<Int>) {
        var stream = HMACSHA256.code(for: Array(bytes[range]), key: key)
        var used = 0
        func next() -> UInt8 {
            if used == stream.count { (stream, used) = (HMACSHA256.code(for: stream, key: key), 0) }
            defer { used += 1 }
            return stream[used]
        }
        var index = range.lowerBound
        while index < range.upperBound {
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                // What is escaped is no letter.
                index += bytes[index + 1] == UInt8(ascii: "u") ? 5 : 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"): bytes[index] = 48 + next() % 10
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes[index] = 65 + next() % 26
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: bytes[index] = 97 + next() % 26
            default: break
            }
            index += 1
        }
    }
}
