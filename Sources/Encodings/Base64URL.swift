/// Base64 with the URL-safe alphabet and no padding. Source: RFC 4648, section 5.
public enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The text for bytes, without padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            var bits: UInt32 = 0
            for (index, byte) in group.enumerated() { bits |= UInt32(byte) << (16 - 8 * index) }
            for index in 0...group.count {
                text.append(alphabet[Int(bits >> (18 - 6 * index)) & 63])
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil for anything but what `encode` gives, so that equal bytes have one text: for
    ///   a character outside the alphabet, an impossible length, or last bits that are not zero.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count == 4 {
                bytes += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
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
