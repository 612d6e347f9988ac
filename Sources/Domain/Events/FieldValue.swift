public import JSON

/// What a member of an event's `data` holds, as far as the shape of a field asks.
public enum FieldValue: Hashable, Sendable {
    case text(String)
    /// A number without a fraction, however it is written: `2`, `2.0` and `2e0` are the same.
    case integer(Int)
    case flag(Bool)
    /// Fits no shape: another number, an array, an object.
    case other

    /// A number as JSON writes it.
    public init(number literal: String) {
        if let integer = Int(literal) ?? Double(literal).flatMap(Int.init(exactly:)) {
            self = .integer(integer)
        } else {
            self = .other
        }
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
