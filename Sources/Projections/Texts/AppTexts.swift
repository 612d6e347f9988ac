public import Domain

/// Alerts by the keys under which an app has their texts, and those texts.
///
/// The places of a text are numbered as the kind's own text in the standard language has them,
/// whatever a tenant says: so an app's texts stay right when a policy changes.
public struct AppTexts: Sendable {
    private let kind: String
    private let builtIn: [String: Template]
    private let phrasebook: Phrasebook
    /// A tenant's, by the key of the text.
    private let own: [String: String]

    /// - Parameter policy: a tenant's; its texts and keys come before the kind's.
    public init<K: ActivityKind>(_ kind: K.Type, under policy: Policy) {
        self.kind = kind.name
        builtIn = kind.texts[.standard] ?? [:]
        phrasebook = Phrasebook(kind.texts, own: policy.texts)
        own = policy.keys
    }

    /// All that there are texts in.
    public var languages: [Language] { phrasebook.languages.sorted { $0.rawValue < $1.rawValue } }

    /// The alert with its text in the standard language, for the ledger and for want of room.
    func alert(_ words: Words) -> Alert {
        Alert(
            title: phrasebook.text(words.title, in: .standard),
            body: phrasebook.text(words.body, in: .standard),
            keys: Alert.Keys(title: text(words.title), body: text(words.body)))
    }

    private func text(_ phrase: Phrase) -> AppText {
        guard phrase.key != Phrase.verbatimKey, let template = standard(phrase.key) else {
            return .plain(phrasebook.text(phrase, in: .standard))
        }
        let category = template.category(phrase.arguments, in: .standard)
        let form = template.form(category)
        return .key(
            name(of: phrase.key, category),
            arguments: places(of: phrase.key).map { place in
                phrase.arguments[place].map {
                    phrasebook.text($0, filling: form, in: .standard)
                } ?? ""
            })
    }

    /// The app's keys of each alert's title and body, by the key of the text. A text with plural
    /// forms has one for each, which its form ends.
    public var names: [String: String] {
        Dictionary(uniqueKeysWithValues: heads.map { ($0, name(of: $0)) })
    }

    private var heads: Set<String> { phrasebook.keys.filter { $0.contains(".") } }

    /// The file `Localizable.strings` of a language: of each alert's title and body the key and the
    /// text, with places as `%1$@`. Where the standard language has plural forms, each has its key.
    public func strings(in language: Language) -> String {
        let lines = heads.flatMap { key in
            categories(of: key).map { category in
                let template = phrasebook.template(key, in: language)
                let format = format(template?.form(category) ?? "", places(of: key))
                return "\(quoted(name(of: key, category))) = \(quoted(format));\n"
            }
        }
        return lines.sorted().joined()
    }

    private func standard(_ key: String) -> Template? {
        phrasebook.template(key, in: .standard)
    }

    private func name(of key: String, _ category: PluralCategory?) -> String {
        let name = name(of: key)
        return category.map { "\(name).\($0.rawValue)" } ?? name
    }

    private func name(of key: String) -> String { own[key] ?? "islet.\(kind).\(key)" }

    private func places(of key: String) -> [String] { builtIn[key]?.placesInOrder ?? [] }

    /// Categories that a number can have in the standard language; nil for a text of one form.
    private func categories(of key: String) -> [PluralCategory?] {
        guard case .plural(_, let forms) = standard(key) else { return [nil] }
        return forms[.one] == nil ? [.other] : [.one, .other]
    }

    /// A text without places is no format, so that its per cents stay as they are.
    private func format(_ form: Template.Form, _ places: [String]) -> String {
        guard !places.isEmpty else { return form.text }
        return form.pieces.map { piece in
            guard piece.isPlace, let index = places.firstIndex(of: piece.text) else {
                return piece.text.replacing("%", with: "%%")
            }
            return "%\(index + 1)$@"
        }.joined()
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
