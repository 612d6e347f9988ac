/// The fields of an event's data, each of which fits its shape.
///
/// Made by the check alone, and valid within it: texts are read where they lie.
public struct CheckedFields {
    private enum Value {
        case text(String)
        case integer(Int)
        case moment(Moment)
        case flag(Bool)
    }

    private let object: PlainObject
    /// Those that are there, in the order of the type's fields.
    private var values: [(name: String, value: Value)] = []

    /// - Returns: nil when a field does not fit, or only might.
    init?(_ fields: [EventField], of object: PlainObject) {
        self.object = object
        values.reserveCapacity(fields.count)
        for field in fields {
            if let member = object.member(field.name), !member.isNull {
                guard let value = Self.value(member, of: field, in: object.scanner) else {
                    return nil
                }
                values.append((field.name, value))
            } else if field.isRequired {
                return nil
            }
        }
    }

    /// Says yes only where `EventField.refusal(of:)` finds nothing to refuse.
    private static func value(
        _ member: PlainObject.Member, of field: EventField, in scanner: PlainJSONScanner
    ) -> Value? {
        switch (field.shape, member.value) {
        case (.text(let bytesMax), .text(let text)):
            guard text.range.count <= bytesMax else { return nil }
            let string = scanner.string(text.range)
            return string.isPlainLine ? .text(string) : nil
        case (.integer(let range), .integer(let number)):
            return range.contains(number) ? .integer(number) : nil
        case (.moment, .text(let text)):
            let bytes = UnsafeBufferPointer(rebasing: scanner.bytes(text.range))
            return Moment(rfc3339Bytes: bytes).map(Value.moment)
        case (.choice(let choices), .text(let text)):
            return choices.first { scanner.equals(text.range, $0) }.map(Value.text)
        case (.flag, .flag(let flag)): return .flag(flag)
        case (.text, _), (.integer, _), (.moment, _), (.choice, _), (.flag, _): return nil
        }
    }

    /// For payloads that take them by way of `Decodable`.
    var decodable: [(name: String, value: FieldValue)] {
        values.compactMap { field in object.field(field.name).map { (field.name, $0) } }
    }

    // MARK: For payloads

    /// What a payload expects of a field is not what the field holds.
    private struct Mismatch: Error {}

    private func value(_ name: String) -> Value? {
        for field in values where field.name == name { return field.value }
        return nil
    }

    public func text(_ name: String) throws -> String { try present(optionalText(name)) }

    public func integer(_ name: String) throws -> Int { try present(optionalInteger(name)) }

    public func moment(_ name: String) throws -> Moment { try present(optionalMoment(name)) }

    public func choice<Choice: RawRepresentable<String>>(_ name: String) throws -> Choice {
        try present(optionalChoice(name))
    }

    public func optionalText(_ name: String) throws -> String? {
        switch value(name) {
        case nil: nil
        case .text(let text): text
        case .integer, .moment, .flag: throw Mismatch()
        }
    }

    public func optionalInteger(_ name: String) throws -> Int? {
        switch value(name) {
        case nil: nil
        case .integer(let integer): integer
        case .text, .moment, .flag: throw Mismatch()
        }
    }

    public func optionalMoment(_ name: String) throws -> Moment? {
        switch value(name) {
        case nil: nil
        case .moment(let moment): moment
        case .text, .integer, .flag: throw Mismatch()
        }
    }

    public func optionalChoice<Choice: RawRepresentable<String>>(
        _ name: String
    ) throws -> Choice? {
        guard let text = try optionalText(name) else { return nil }
        guard let choice = Choice(rawValue: text) else { throw Mismatch() }
        return choice
    }

    private func present<T>(_ value: T?) throws -> T {
        guard let value else { throw Mismatch() }
        return value
    }
}

extension PlainObject.Member {
    fileprivate var isNull: Bool {
        if case .null = value { true } else { false }
    }
}
