import Domain

/// A text with places to be filled in, `{name}` each, in one language.
public enum Template: Hashable, Sendable, ExpressibleByStringLiteral {
    case plain(Form)
    /// One form for each plural category that the language has; `other` always is one of them. The
    /// count is the argument `by`.
    case plural(by: String, [PluralCategory: Form])

    public init(stringLiteral text: String) { self = .plain(Form(text)) }

    /// A text, taken apart once for all the times that it is filled in.
    public struct Form: Hashable, Sendable, ExpressibleByStringLiteral {
        /// As it was written, with its placeholders.
        public let text: String
        let pieces: [Piece]

        init(_ text: String) {
            self.text = text
            pieces = Template.pieces(of: text)
        }

        public init(stringLiteral text: String) { self.init(text) }
    }

    /// Places of any form.
    var places: Set<String> {
        var places = Set(forms.flatMap { $0.pieces.filter(\.isPlace).map(\.text) })
        if case .plural(let by, _) = self { places.insert(by) }
        return places
    }

    /// As they come in the text, each once; of several forms, in `other` before the rest.
    var placesInOrder: [String] {
        let forms = [form(.other)] + forms.sorted { $0.text < $1.text }
        let named = forms.flatMap { $0.pieces.filter(\.isPlace).map(\.text) }
        return (named + places.sorted()).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Category of the form that these arguments take; nil for a text that has but one.
    func category(
        _ arguments: Phrase.Arguments, in language: Language
    ) -> PluralCategory? {
        guard case .plural(let by, let forms) = self else { return nil }
        guard case .count(let count) = arguments[by] else { return .other }
        let category = PluralCategory.of(count, in: language)
        return forms[category] == nil ? .other : category
    }

    func form(_ category: PluralCategory?) -> Form {
        switch self {
        case .plain(let form): form
        case .plural(_, let forms): forms[category ?? .other] ?? forms[.other] ?? ""
        }
    }

    var forms: [Form] {
        switch self {
        case .plain(let form): [form]
        case .plural(_, let forms): Array(forms.values)
        }
    }

    /// Bytes of the longest form.
    var longest: Int { forms.map(\.text.utf8.count).max() ?? 0 }

    struct Piece: Hashable {
        let text: String
        let isPlace: Bool

        init(_ text: Substring, isPlace: Bool = false) {
            self.text = String(text)
            self.isPlace = isPlace
        }
    }

    /// A brace that is never closed is text. One that an accent follows is another character, and
    /// none.
    static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            if open > rest.startIndex { pieces.append(Piece(rest[..<open])) }
            pieces.append(Piece(rest[rest.index(after: open)..<close], isPlace: true))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(Piece(rest)) }
        return pieces
    }

    /// Why a text cannot be shown as somebody meant it, as what a sentence about it says; nil when
    /// it can.
    static func refusal(of text: String) -> String? {
        guard text.isShownLine else {
            return "must be one line that is not blank, without control characters"
        }
        let rest = pieces(of: text).filter { !$0.isPlace }
        if rest.contains(where: { $0.text.contains(Character("{")) }) {
            return "has a `{` that no `}` closes; a place is written `{name}`"
        }
        guard rest.contains(where: { $0.text.contains(Character("}")) }) else { return nil }
        return "has a `}` that no `{` opens; a place is written `{name}`"
    }
}
