import Domain

/// A text with places to be filled in, `{name}` each, in one language.
public enum Template: Hashable, Sendable, ExpressibleByStringLiteral {
    case plain(String)
    /// One form for each plural category that the language has; `other` always is one of them. The
    /// count is the argument `by`.
    case plural(by: String, [PluralCategory: String])

    public init(stringLiteral text: String) { self = .plain(text) }

    /// Places of any form.
    var places: Set<String> {
        var places = forms.reduce(into: Set<String>()) { $0.formUnion(Self.places(in: $1)) }
        if case .plural(let by, _) = self { places.insert(by) }
        return places
    }

    /// As they come in the text, each once; of several forms, in `other` before the rest.
    var placesInOrder: [String] {
        let texts = [form(.other)] + forms.sorted()
        let named = texts.flatMap { Self.pieces(of: $0).filter(\.isPlace).map { "\($0.text)" } }
        return (named + places.sorted()).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Of the form that is said with these arguments; nil for a text that has but one.
    func category(
        _ arguments: Phrase.Arguments, in language: Language
    ) -> PluralCategory? {
        guard case .plural(let by, let forms) = self else { return nil }
        guard case .count(let count) = arguments[by] else { return .other }
        let category = PluralCategory.of(count, in: language)
        return forms[category] == nil ? .other : category
    }

    func form(_ category: PluralCategory?) -> String {
        switch self {
        case .plain(let text): text
        case .plural(_, let forms): forms[category ?? .other] ?? forms[.other] ?? ""
        }
    }

    var forms: [String] {
        switch self {
        case .plain(let text): [text]
        case .plural(_, let forms): Array(forms.values)
        }
    }

    /// Bytes of the longest form.
    var longest: Int { forms.map(\.utf8.count).max() ?? 0 }

    var shortest: Int { forms.map(\.utf8.count).min() ?? 0 }

    private static func places(in text: String) -> Set<String> {
        Set(pieces(of: text).compactMap { $0.isPlace ? String($0.text) : nil })
    }

    struct Piece {
        let text: Substring
        let isPlace: Bool
    }

    static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        forEachPiece(of: text) { pieces.append($0) }
        return pieces
    }

    /// A brace that is never closed is text.
    static func forEachPiece(of text: String, _ take: (Piece) -> Void) {
        var rest = text[...]
        while let open = first("{", in: rest) {
            guard let close = first("}", in: rest[open...]) else { break }
            if open > rest.startIndex { take(Piece(text: rest[..<open], isPlace: false)) }
            let name = rest[rest.utf8.index(after: open)..<close]
            take(Piece(text: name, isPlace: true))
            rest = rest[rest.utf8.index(after: close)...]
        }
        if !rest.isEmpty { take(Piece(text: rest, isPlace: false)) }
    }

    /// By bytes, which is many times as fast as by characters. A brace that an accent follows is
    /// none.
    private static func first(_ brace: Character, in text: Substring) -> String.Index? {
        let byte = brace.asciiValue
        let found = text.utf8.withContiguousStorageIfAvailable { bytes -> String.Index? in
            for place in bytes.indices where bytes[place] == byte {
                let index = text.utf8.index(text.startIndex, offsetBy: place)
                // Between others of ASCII it is a character by itself.
                let isAfterASCII = place == 0 || bytes[place - 1] < 0x80
                let isBeforeASCII = place + 1 == bytes.count || bytes[place + 1] < 0x80
                if (isAfterASCII && isBeforeASCII) || text[index] == brace { return index }
            }
            return nil
        }
        return found ?? nil
    }
}
