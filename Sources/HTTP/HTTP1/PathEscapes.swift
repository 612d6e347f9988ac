import Encodings

/// Percent-encoding in the path of a target.
///
/// A letter, a digit and `-._~` mean the same whether they are encoded or not (RFC 3986, 6.2.2.2),
/// so they are decoded here and all code that looks at the path sees `/v1/events` for
/// `/v1/%65vents`. All else stays as it came: an encoded slash belongs to its segment and does not
/// end it.
enum PathEscapes {
    /// The target with what means the same written the same; the query stays as it is.
    static func normalized(_ target: String) -> String {
        guard target.utf8.contains(UInt8(ascii: "%")) else { return target }
        let bytes = Array(target.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < end {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < end,
                let high = Hexadecimal.value(of: bytes[index + 1]),
                let low = Hexadecimal.value(of: bytes[index + 2]),
                isUnreserved(high << 4 | low)
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        result += bytes[end...]
        return String(decoding: result, as: UTF8.self)
    }

    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
