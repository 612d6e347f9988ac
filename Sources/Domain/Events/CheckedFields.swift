/// The fields of an event's data, each of which fits its shape.
///
/// Made by the check alone, and valid within it: texts are read where they lie.
public struct CheckedFields {
    private enum Value {
        case null
        case text(String)
        case integer(Int)
        /// With its text.
        case moment(Moment, Range<Int>)
        case flag(Bool)
    }

    private let fields: [EventField]
    private let scanner: PlainJSONScanner
    /// Of each field; nil where it is not there.
    private let values: UnsafeMutableBufferPointer<Value?>

    /// Checks the fields of the object that a text is, in one pass and without building anything
    /// for other members.
    /// - Returns: what `body` gives; nil when a field does not fit, or only might, and for
    ///   anything but a flat object that is plainly written.
    static func with<Result>(
        _ fields: [EventField], of text: UnsafeBufferPointer<UInt8>,
        _ body: (CheckedFields) -> Result?
    ) -> Result? {
        withUnsafeTemporaryAllocation(of: Value?.self, capacity: fields.count) { values in
            values.initialize(repeating: nil)
            defer { values.deinitialize() }
            var scanner = PlainJSONScanner(text)
            guard read(&scanner, fields, into: values) else { return nil }
            return body(CheckedFields(fields: fields, scanner: scanner, values: values))
        }
    }

    private static func read(
        _ scanner: inout PlainJSONScanner, _ fields: [EventField],
        into values: UnsafeMutableBufferPointer<Value?>
    ) -> Bool {
        let isPlain = scanner.members { scanner, name in
            let place = fields.indices.first { scanner.equals(name, fields[$0].name) }
            guard let scalar = scanner.scalar() else { return false }
            guard let place else { return true }
            // Of two by one name a parser that takes everything says which counts.
            guard case nil = values[place],
                let value = value(scalar, of: fields[place], in: scanner)
            else { return false }
            values[place] = value
            return true
        }
        return isPlain && scanner.isAtEnd()
            && fields.indices.allSatisfy { place in
                if case nil = values[place] { !fields[place].isRequired } else { true }
            }
    }

    /// Says yes only where `EventField.refusal(of:)` finds nothing to refuse.
    private static func value(
        _ scalar: PlainJSONScanner.Scalar, of field: EventField, in scanner: PlainJSONScanner
    ) -> Value? {
        switch (field.shape, scalar) {
        case (.text(let bytesMax), .text(let text)):
            guard text.range.count <= bytesMax else { return nil }
            let string = scanner.string(text.range)
            return string.isPlainLine ? .text(string) : nil
        case (.integer(let range), .integer(let number)):
            return range.contains(number) ? .integer(number) : nil
        case (.moment, .text(let text)):
            let bytes = UnsafeBufferPointer(rebasing: scanner.bytes(text.range))
            return Moment(rfc3339Bytes: bytes).map { .moment($0, text.range) }
        case (.choice(let choices), .text(let text)):
            return choices.first { scanner.equals(text.range, $0) }.map(Value.text)
        case (.flag, .flag(let flag)): return .flag(flag)
        case (_, .null): return field.isRequired ? nil : .null
        case (.text, _), (.integer, _), (.moment, _), (.choice, _), (.flag, _): return nil
        }
    }

    /// For payloads that take them by way of `Decodable`.
    var decodable: [(name: String, value: FieldValue)] {
        fields.indices.compactMap { place in
            switch values[place] {
            case nil, .null: nil
            case .text(let text): (fields[place].name, .text(text))
            case .integer(let integer): (fields[place].name, .integer(integer))
            case .moment(_, let text): (fields[place].name, .text(scanner.string(text)))
            case .flag(let flag): (fields[place].name, .flag(flag))
            }
        }
    }

    // MARK: For payloads

    /// What a payload expects of a field is not what the field holds.
    private struct Mismatch: Error {}

    private func value(_ name: String) -> Value? {
        for place in fields.indices where fields[place].name == name { return values[place] }
        return nil
    }

    /// A text that must be there.
    public func text(_ name: String) throws -> String { try present(optionalText(name)) }

    /// A whole number that must be there.
    public func integer(_ name: String) throws -> Int { try present(optionalInteger(name)) }

    /// A time that must be there.
    public func moment(_ name: String) throws -> Moment { try present(optionalMoment(name)) }

    /// One of a few words, which must be there.
    public func choice<Choice: RawRepresentable<String>>(_ name: String) throws -> Choice {
        try present(optionalChoice(name))
    }

    /// A text, or nil when it is missing.
    public func optionalText(_ name: String) throws -> String? {
        switch value(name) {
        case nil, .null: nil
        case .text(let text): text
        case .integer, .moment, .flag: throw Mismatch()
        }
    }

    /// A whole number, or nil when it is missing.
    public func optionalInteger(_ name: String) throws -> Int? {
        switch value(name) {
        case nil, .null: nil
        case .integer(let integer): integer
        case .text, .moment, .flag: throw Mismatch()
        }
    }

    /// A time, or nil when it is missing.
    public func optionalMoment(_ name: String) throws -> Moment? {
        switch value(name) {
        case nil, .null: nil
        case .moment(let moment, _): moment
        case .text, .integer, .flag: throw Mismatch()
        }
    }

    /// One of a few words, or nil when it is missing.
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
