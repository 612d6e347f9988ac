/// One member of an event's `data`: what it is called and what it may hold.
///
/// The one place where a field's bounds are stated: events are checked against it, and the
/// reference of events is tested against it.
public struct EventField: Hashable, Sendable {
    public enum Shape: Hashable, Sendable {
        /// Not blank, without control characters.
        case text(bytesMax: Int)
        case integer(ClosedRange<Int>)
        /// RFC 3339 with a zone.
        case moment
        case choice([String])
        case flag
    }

    public let name: String
    public let shape: Shape
    public let isRequired: Bool

    /// A field that every event of the type has.
    public static func required(_ name: String, _ shape: Shape) -> EventField {
        EventField(name: name, shape: shape, isRequired: true)
    }

    /// A field that may be absent or null.
    public static func optional(_ name: String, _ shape: Shape) -> EventField {
        EventField(name: name, shape: shape, isRequired: false)
    }

    /// What to send, in words that complete "must be".
    public var expectation: String {
        switch shape {
        case .text(let bytesMax):
            "a string of 1 to \(bytesMax) bytes of UTF-8, not blank, without control characters"
        case .integer(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .moment:
            "an RFC 3339 date and time with a zone, such as \"2026-05-01T12:00:00Z\""
        case .choice(let values):
            "one of " + values.map { "\"\($0)\"" }.joined(separator: ", ")
        case .flag:
            "true or false"
        }
    }

    /// Checks this field of an object.
    /// - Throws: `EventRefusal` that points at the field and says what to send instead.
    func check(in object: KeyedDecodingContainer<EventFieldKey>) throws(EventRefusal) {
        let key = EventFieldKey(stringValue: name)
        let isPresent = (try? object.decodeNil(forKey: key)) == false
        guard isPresent else {
            guard isRequired else { return }
            throw refusal("is missing; send \(expectation)")
        }
        guard accepts(key, in: object) else { throw refusal("must be \(expectation)") }
    }

    private func refusal(_ detail: String) -> EventRefusal {
        EventRefusal(.invalidData, pointer: "/data/\(name)", detail: detail)
    }

    private func accepts(
        _ key: EventFieldKey, in object: KeyedDecodingContainer<EventFieldKey>
    ) -> Bool {
        switch shape {
        case .text(let bytesMax):
            guard let text = try? object.decode(String.self, forKey: key) else { return false }
            return text.utf8.count <= bytesMax && text.isPlainLine
        case .integer(let range):
            guard let number = try? object.decode(Int.self, forKey: key) else { return false }
            return range.contains(number)
        case .moment:
            return (try? object.decode(Moment.self, forKey: key)) != nil
        case .choice(let values):
            guard let text = try? object.decode(String.self, forKey: key) else { return false }
            return values.contains(text)
        case .flag:
            return (try? object.decode(Bool.self, forKey: key)) != nil
        }
    }
}

extension EventField.Shape {
    /// The raw values of an enum that has a case for each choice.
    static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        of type: Choice.Type
    ) -> EventField.Shape {
        .choice(type.allCases.map(\.rawValue))
    }
}

/// Any name of a member.
struct EventFieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension String {
    /// Not blank, and nothing in it that breaks a line or a terminal.
    fileprivate var isPlainLine: Bool {
        var isBlank = true
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return false
            case .spaceSeparator: continue
            default: isBlank = false
            }
        }
        return !isBlank
    }
}
