public import Domain

/// The texts of one kind, in every language that there are some in.
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

    /// All that there are texts in.
    var languages: Set<Language> { Set(builtIn.keys).union(own.keys) }

    /// The keys of all texts.
    var keys: Set<String> { Set((builtIn[.standard] ?? [:]).keys) }

    /// In the standard language, with a translation for each other language.
    /// - Parameter isTranslated: false where nobody reads the translations.
    public func alert(_ words: Words, isTranslated: Bool = true) -> Alert {
        var alert = Alert(
            title: text(words.title, in: .standard), body: text(words.body, in: .standard))
        guard isTranslated else { return alert }
        for language in builtIn.keys { translate(words, into: language, &alert) }
        for language in own.keys where builtIn[language] == nil {
            translate(words, into: language, &alert)
        }
        return alert
    }

    private func translate(_ words: Words, into language: Language, _ alert: inout Alert) {
        guard language != .standard else { return }
        let title = text(words.title, in: language)
        let body = text(words.body, in: language)
        guard title != alert.title || body != alert.body else { return }
        alert.translations[language] = Alert.Text(title: title, body: body)
    }

    func text(_ phrase: Phrase, in language: Language) -> String {
        if phrase.key == Phrase.verbatimKey {
            return phrase.arguments.list.first.map { text($0.value, in: language) } ?? ""
        }
        guard let source = source(of: phrase.key, in: language) else { return phrase.key }
        let category = source.template.category(phrase.arguments, in: source.language)
        return fill(source.template.form(category), phrase.arguments, language)
    }

    /// The tenant's text that is used in a language, and the language that it is from.
    func own(_ key: String, for language: Language) -> (language: Language, template: Template)? {
        if let template = own[language]?[key] { return (language, template) }
        guard builtIn[language]?[key] == nil else { return nil }
        return own[.standard]?[key].map { (.standard, $0) }
    }

    /// The text that is used in a language.
    func template(_ key: String, in language: Language) -> Template? {
        source(of: key, in: language)?.template
    }

    /// What a language lacks it takes from the standard one, and counts as that does: its own forms
    /// for `1` or `0` say nothing of another language's text.
    private func source(
        of key: String, in language: Language
    ) -> (language: Language, template: Template)? {
        if let template = own[language]?[key] ?? builtIn[language]?[key] {
            return (language, template)
        }
        return (own[.standard]?[key] ?? builtIn[.standard]?[key]).map { (.standard, $0) }
    }

    /// Bytes: most names and numbers are shorter.
    private static let roomForArguments = 32

    private func fill(
        _ form: Template.Form, _ arguments: Phrase.Arguments, _ language: Language
    ) -> String {
        // Most titles are said as they are.
        guard form.pieces.contains(where: \.isPlace) else { return form.text }
        var filled = ""
        filled.reserveCapacity(form.text.utf8.count + Self.roomForArguments)
        for piece in form.pieces {
            if !piece.isPlace {
                filled += piece.text
            } else if let argument = arguments[piece.text] {
                filled += text(argument, filling: form, in: language)
            } else {
                filled += "{\(piece.text)}"
            }
        }
        return filled
    }

    /// What stands in a place of a form: beside other text, a name keeps its direction to itself.
    func text(
        _ argument: Phrase.Argument, filling form: Template.Form, in language: Language
    ) -> String {
        let text = text(argument, in: language)
        guard case .text = argument, form.pieces.count > 1 else { return text }
        return text.isolated
    }

    func text(_ argument: Phrase.Argument, in language: Language) -> String {
        switch argument {
        case .text(let text): text
        case .count(let count): String(count)
        case .phrase(let phrase): text(phrase, in: language)
        }
    }
}

extension ActivityKind {
    /// An alert in all languages or by keys, as the policy wants it.
    static func alert(_ words: Words, under policy: Policy, isTranslated: Bool) -> Alert {
        switch policy.words {
        case .localized:
            Phrasebook(texts, own: policy.texts).alert(words, isTranslated: isTranslated)
        case .keys: AppTexts(self, under: policy).alert(words)
        }
    }
}
