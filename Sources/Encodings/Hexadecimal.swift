/// Lower-case hexadecimal digits.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// 16 digits.
    public static func encode(_ number: UInt64) -> String {
        encode((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
    }

    /// - Returns: nil for anything but pairs of digits of either case.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.map(value(of:))
        guard values.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: values.count, by: 2) {
            guard let high = values[index], let low = values[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// - Parameter digit: in ASCII, of either case.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
