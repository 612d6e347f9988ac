/// One member of an event's `data`: what it is called and what it may have.
///
/// The one place where a field's bounds are stated: events are checked against it, and the
/// reference of events is tested against it.
public struct EventField: Hashable, Sendable {
    /// What a field's value may be.
    public enum Shape: Hashable, Sendable {
        /// Not blank, without control characters.
        case text(bytesMax: Int)
        case integer(ClosedRange<Int>)
        /// RFC 3339 with a zone.
        case moment
        case choice([String])
        case flag
    }

    /// What a redacted export makes of a field's value.
    public enum Disclosure: Hashable, Sendable {
        /// It stays as it is, since it says nothing of a person.
        case open
        /// A text that is one of these, in capitals or not, stays as it is: it is no name of
        /// anybody, and a fold goes by it. Any other is masked.
        case openAmong([String])
        /// It names a thing that a fold tells apart: it is masked, and no two become the same.
        case reference
        case masked
    }

    /// The member's name in the JSON.
    public let name: String
    /// What its value may be.
    public let shape: Shape
    /// Whether an event without it is refused.
    public let isRequired: Bool
    /// What a redacted export makes of it.
    public let disclosure: Disclosure
    /// Whether it may say something of a person, so that an erasure of the person takes it. Only a
    /// text can be.
    public let isPersonal: Bool
    /// What a source may send, without quotes.
    public let sample: String

    static let sampleText = "A text"

    /// What to send, in words that complete "must be".
    public var expectation: String {
        switch shape {
        case .text(let bytesMax):
            "a string of 1 to \(bytesMax) bytes of UTF-8, not blank, without control characters"
        case .integer(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .moment:
            Moment.expectation
        case .choice(let values):
            "one of " + values.map { "\"\($0)\"" }.joined(separator: ", ")
        case .flag:
            "true or false"
        }
    }

    /// What is wrong with the field; nil when it is well.
    /// - Parameters:
    ///   - value: nil when the object has no such member, or `null`.
    ///   - isStored: a log has it, so it is taken as it was when slips were not noticed yet.
    public func refusal(of value: FieldValue?, isStored: Bool = false) -> EventRefusal? {
        guard let value else {
            return isRequired ? refusal("is missing; send \(expectation)") : nil
        }
        if case nil = content(of: value) { return refusal("must be \(expectation)") }
        guard !isStored, let meant = meant(by: value) else { return nil }
        return refusal("must be \(meant)")
    }

    /// What to send instead of what has the right form and cannot be meant; nil for what can be.
    private func meant(by value: FieldValue) -> String? {
        switch (shape, value) {
        case (.text, .text(let text)):
            text.isInvisible ? "\(expectation), and not of invisible characters alone" : nil
        case (.integer, .rounded): "\(expectation), without a fraction"
        case (.moment, .text(let text)): Self.error(ofTime: text)?.expectation
        case (.text, _), (.integer, _), (.moment, _), (.choice, _), (.flag, _): nil
        }
    }

    /// By the letter of RFC 3339, as the published schemas go.
    private static func error(ofTime text: String) -> MomentError? {
        do throws(MomentError) {
            _ = try Moment(new: text)
            return nil
        } catch { return error }
    }

    private func refusal(_ detail: String) -> EventRefusal {
        EventRefusal(.invalidData, pointer: "/data/\(name)", detail: detail)
    }

    /// What a value says, as an event's type asks for it; nil when it does not fit.
    func content(of value: FieldValue) -> EventData.Content? {
        switch (shape, value) {
        case (.text(let bytesMax), .text(let text)):
            text.utf8.count <= bytesMax && text.isPlainLine ? .text(text) : nil
        case (.integer(let range), .integer(let number)),
            (.integer(let range), .rounded(let number)):
            range.contains(number) ? .integer(number) : nil
        case (.moment, .text(let text)): Moment(rfc3339: text).map { .moment($0) }
        case (.choice(let values), .text(let text)):
            values.containsBytes(of: text) ? .text(text) : nil
        case (.flag, .flag(let flag)): .flag(flag)
        case (.text, _), (.integer, _), (.moment, _), (.choice, _), (.flag, _): nil
        }
    }
}

extension EventField.Shape {
    /// For fields that give none of their own.
    var sample: String {
        switch self {
        case .text: EventField.sampleText
        case .integer(let range): "\(range.lowerBound)"
        case .moment: "2026-05-01T12:00:00Z"
        case .choice(let values): values.first ?? ""
        case .flag: "true"
        }
    }
}

extension String {
    /// Not blank, and nothing in it that breaks a line or a terminal.
    var isPlainLine: Bool {
        // ASCII needs no table.
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return utf8.contains { $0 != 0x20 } }
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

    /// Only of spaces, and of characters that are there for the sake of others, such as those that
    /// turn the direction of writing.
    var isInvisible: Bool {
        if utf8.contains(where: { $0 > 0x20 && $0 < 0x7F }) { return false }
        return unicodeScalars.allSatisfy { scalar in
            if scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}" { return true }
            return switch scalar.properties.generalCategory {
            case .spaceSeparator, .format: true
            default: false
            }
        }
    }

    /// One line in which there is something to be seen, as what is shown to people has to be.
    public var isShownLine: Bool { isPlainLine && !isInvisible }
}
