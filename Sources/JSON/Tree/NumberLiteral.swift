/// The form of a number that has no exponent, in which Postgres keeps and gives back every number.
enum NumberLiteral {
    /// How many bytes that form has: at least as many as Postgres writes, and no fewer than are
    /// refused if the exponent is beyond all bounds.
    static func bytesWrittenOut(_ literal: String) -> Int {
        let bytes = literal.utf8
        guard let mark = bytes.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else {
            return bytes.count
        }
        let sign = bytes.first == UInt8(ascii: "-") ? 1 : 0
        let whole = bytes[..<mark].prefix { $0 != UInt8(ascii: ".") }
        // Without the point.
        let fraction = bytes[whole.endIndex..<mark].dropFirst()
        // Nobody has to count further than what is refused.
        let most = Limits.numberBytesMax
        let exponent = min(max(Int(literal[mark...].dropFirst()) ?? most, -most), most)
        let places = max(0, fraction.count - exponent)
        return sign + max(1, whole.count - sign + exponent) + (places > 0 ? 1 + places : 0)
    }
}

extension JSON {
    /// How many bytes longer its numbers are when their exponents are written out.
    public var exponentBytes: Int {
        switch self {
        case .number(let literal):
            max(0, NumberLiteral.bytesWrittenOut(literal) - literal.utf8.count)
        case .array(let elements): elements.reduce(0) { $0 + $1.exponentBytes }
        case .object(let members): members.reduce(0) { $0 + $1.value.exponentBytes }
        case .null, .bool, .string, .encoded: 0
        }
    }
}
