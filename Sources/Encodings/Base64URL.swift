/// Base64 with the URL-safe alphabet and no padding. Source: RFC 4648, section 5.
public enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The text for bytes, without padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        encode(array: Array(bytes))
    }

    /// Of one type, since what is generic is slow when it is called from another module.
    private static func encode(array bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for index in 0..<count { bits |= UInt32(bytes[start + index]) << (16 - 8 * index) }
            for index in 0...count { text.append(alphabet[Int(bits >> (18 - 6 * index)) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil for anything but what `encode` gives, so that equal bytes have one text: for
    ///   a character outside the alphabet, an impossible length, or last bits that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(array: Array(text.utf8))
    }

    private static func decode(array text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count == 4 {
                for shift: UInt32 in [16, 8, 0] { bytes.append(UInt8(bits >> shift & 255)) }
                bits = 0
                count = 0
            }
        }
        switch count {
        case 0: return bytes
        case 2 where bits & 15 == 0: return bytes + [UInt8(bits >> 4 & 255)]
        case 3 where bits & 3 == 0:
            return bytes + [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
        default: return nil
        }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
