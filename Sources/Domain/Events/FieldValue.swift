public import JSON

/// What a member of an event's `data` has, as far as the shape of a field asks.
public enum FieldValue: Hashable, Sendable {
    case text(String)
    /// A number without a fraction, however it is written: `2`, `2.0` and `2e0` are the same.
    case integer(Int)
    /// A number with a fraction that is lost when it is read as others read numbers, such as
    /// `2.00000000000000000001`. Older logs have it; nobody means it.
    case rounded(Int)
    case flag(Bool)
    /// Fits no shape: another number, an array, an object.
    case other

    /// A number as JSON writes it.
    public init(number literal: String) {
        if let integer = Int(literal) {
            self = .integer(integer)
        } else if let nearest = Double(literal).flatMap(Int.init(exactly:)) {
            self = Self.isWhole(literal) ? .integer(nearest) : .rounded(nearest)
        } else {
            self = .other
        }
    }

    /// Whether no digit but 0 stands behind the point, wherever the exponent moves that.
    private static func isWhole(_ literal: String) -> Bool {
        let parts = literal.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        guard let mantissa = parts.first else { return false }
        let digits = mantissa.utf8.filter { (48...57).contains($0) }
        let behindPoint = mantissa.firstIndex(of: ".").map { mantissa[$0...].utf8.count - 1 } ?? 0
        var exponent = 0
        if parts.count > 1 {
            // One that is too long for a number is of zero, or of next to nothing.
            exponent = Int(parts[1]) ?? -digits.count
        }
        let fraction = behindPoint.subtractingReportingOverflow(exponent)
        let count = fraction.overflow ? digits.count : max(0, fraction.partialValue)
        return digits.suffix(count).allSatisfy { $0 == 48 }
    }
}

extension FieldValue {
    /// Nil for nothing, and for `null`.
    public init?(_ value: JSON?) {
        switch value {
        case nil, .null: return nil
        case .bool(let flag): self = .flag(flag)
        case .number(let literal): self = .init(number: literal)
        case .string(let text): self = .text(text)
        case .array, .object, .encoded: self = .other
        }
    }
}

extension PlainObject {
    /// As an event's field sees it; nil when there is none, or `null`.
    public func field(_ name: String) -> FieldValue? {
        guard let member = member(name) else { return nil }
        return switch member.value {
        case .null: nil
        case .flag(let flag): .flag(flag)
        case .integer(let integer): .integer(integer)
        case .fraction: FieldValue(number: scanner.string(member.literal))
        case .text(let text): .text(scanner.string(text.range))
        }
    }
}
