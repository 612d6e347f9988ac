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

    private var forms: [String] {
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

    /// A brace that is never closed is text.
    static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            if open > rest.startIndex { pieces.append(Piece(text: rest[..<open], isPlace: false)) }
            let name = rest[rest.index(after: open)..<close]
            pieces.append(Piece(text: name, isPlace: true))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(Piece(text: rest, isPlace: false)) }
        return pieces
    }
}
