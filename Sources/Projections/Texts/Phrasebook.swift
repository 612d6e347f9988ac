public import Domain

/// The words of one kind in every language that there are some in.
public struct Phrasebook: Sendable {
    /// What a kind brings along, by language and key.
    public typealias Texts = [Language: [String: Template]]

    private let builtIn: Texts
    private let own: Texts

    /// - Parameter own: a tenant's; they come before the kind's.
    public init(_ builtIn: Texts, own: Texts = [:]) {
        self.builtIn = builtIn
        self.own = own
    }

    /// In the standard language, with a translation for each other language.
    public func alert(_ words: Words) -> Alert {
        let languages = Set(builtIn.keys).union(own.keys).subtracting([.standard])
        var alert = Alert(
            title: text(words.title, in: .standard), body: text(words.body, in: .standard))
        for language in languages {
            let title = text(words.title, in: language)
            let body = text(words.body, in: language)
            guard title != alert.title || body != alert.body else { continue }
            alert.translations[language] = Alert.Words(title: title, body: body)
        }
        return alert
    }

    private func text(_ phrase: Phrase, in language: Language) -> String {
        if phrase.key == Phrase.verbatimKey {
            return phrase.arguments.list.first.map { text($0.value, in: language) } ?? ""
        }
        switch template(phrase.key, in: language) {
        case .plain(let form): return fill(form, phrase.arguments, language)
        case .plural(let by, let forms):
            var category = PluralCategory.other
            if case .count(let count) = phrase.arguments[by] {
                category = .of(count, in: language)
            }
            return fill(forms[category] ?? forms[.other] ?? "", phrase.arguments, language)
        case nil: return phrase.key
        }
    }

    /// What a language lacks it takes from the standard one.
    private func template(_ key: String, in language: Language) -> Template? {
        own[language]?[key] ?? builtIn[language]?[key] ?? own[.standard]?[key]
            ?? builtIn[.standard]?[key]
    }

    private func fill(
        _ form: String, _ arguments: Phrase.Arguments, _ language: Language
    ) -> String {
        Template.pieces(of: form).map { piece in
            guard piece.isPlace else { return String(piece.text) }
            return arguments[piece.text].map { text($0, in: language) } ?? "{\(piece.text)}"
        }.joined()
    }

    private func text(_ argument: Phrase.Argument, in language: Language) -> String {
        switch argument {
        case .text(let text): text
        case .count(let count): String(count)
        case .phrase(let phrase): text(phrase, in: language)
        }
    }
}
