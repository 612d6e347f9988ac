public import Foundation
public import IsletActivities

/// A JSON value that loses nothing of what was sent: numbers keep their digits.
///
/// Foundation's coders are not enough at this door: they take the last of two equal member names
/// and round a number of thirty digits without a word, and what is recorded cannot be corrected.
public enum JSON: Hashable, Sendable {
    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// Names are compared by their bytes.
        @ByBytes public var name: String
        public var value: JSON

        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    /// The literal as it was written.
    case number(String)
    case string(String)
    case array([JSON])
    /// In the order sent, or to be sent; names are unique.
    case object([Member])
    /// JSON that the store or an encoder has written already.
    case encoded(Data)

    /// A number without a fraction.
    public static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// `null` for nil.
    public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

    /// The member of an object; nil when there is none, or when it is `null`: CloudEvents treats an
    /// attribute that is `null` as absent. Set to nil it is removed; what is no object stays as it
    /// is.
    public subscript(name: String) -> JSON? {
        get {
            guard case .object(let members) = self,
                let value = members.first(where: { $0.name.hasBytes(of: name) })?.value,
                value != .null
            else { return nil }
            return value
        }
        set {
            guard case .object(var members) = self else { return }
            let place = members.firstIndex { $0.name.hasBytes(of: name) }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): return
            }
            self = .object(members)
        }
    }

    /// `1.0` is one, as JSON Schema says; half of one is none.
    public var wholeNumber: Int64? {
        guard case .number(let literal) = self else { return nil }
        let parts = literal.split(separator: ".", maxSplits: 1)
        guard parts.dropFirst().allSatisfy({ $0.allSatisfy { $0 == "0" } }) else { return nil }
        return parts.first.flatMap { Int64($0) }
    }

    /// What a string says; nil for anything else.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// What the value is, for a sentence such as "must be a string, not an array".
    public var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object, .encoded: "an object"
        }
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral {
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }

    public init(stringLiteral value: String) { self = .string(value) }
}
