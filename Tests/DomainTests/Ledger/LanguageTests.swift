import Domain
import JSON
import Testing

struct `A language` {
    @Test(arguments: [
        ("de", "de"), ("pt-BR", "pt"), ("pt_BR", "pt"), ("DE", "de"), ("zh-Hant-TW", "zh"),
        ("", ""), ("-x", ""),
    ])
    func `has a primary part`(tag: String, primary: String) {
        #expect(Language(tag).primary == primary)
    }

    @Test(
        arguments: [
            // The very one, however it is spelled.
            ("pt-BR", ["pt", "pt-PT", "pt-BR"], "pt-BR"), ("PT_br", ["pt-BR", "pt"], "pt-BR"),
            // The language without a region before that of another region.
            ("de-AT", ["de-CH", "de"], "de"), ("de-AT", ["de", "de-CH"], "de"),
            ("de-AT", ["de-CH", "fr"], "de-CH"), ("pt", ["fr", "pt-BR"], "pt-BR"),
            // The longest beginning of the tag.
            ("de-CH-1996", ["de", "de-CH"], "de-CH"), ("zh-Hant-TW", ["zh", "zh-Hant"], "zh-Hant"),
            // Of two regions, always the same one.
            ("es-MX", ["es-ES", "es-AR"], "es-AR"), ("es-MX", ["es-AR", "es-ES"], "es-AR"),
            ("pt-AO", ["pt", "pt-BR"], "pt"), ("pt-AO", ["pt-BR", "pt"], "pt"),
            // Portuguese of Portugal everywhere but in Brazil.
            ("pt-AO", ["pt-PT", "pt-BR"], "pt-PT"), ("pt-AO", ["pt-BR", "pt-PT"], "pt-PT"),
            ("pt-BR", ["pt-PT", "pt-MZ"], "pt-MZ"), ("pt", ["pt-PT", "pt-BR"], "pt-BR"),
            ("it", ["de", "fr"], nil), ("", ["de"], nil), ("de", [], nil), ("den", ["de"], nil),
        ] as [(String, [String], String?)])
    func `is the best of those that there are`(
        locale: String, offered: [String], best: String?
    ) {
        let languages = offered.map { Language($0) }
        #expect(Language.best(for: locale, among: languages)?.rawValue == best)
    }

    @Test(
        arguments: [
            ("zh-Hant-TW", ["zh-Hans", "zh-Hant"], "zh-Hant"),
            ("zh-TW", ["zh-Hans", "zh-Hant"], "zh-Hant"), ("zh-TW", ["zh", "zh-HK"], "zh-HK"),
            ("zh_HK", ["zh-Hans", "zh-TW"], "zh-TW"), ("zh-MO", ["zh-CN", "zh-Hant"], "zh-Hant"),
            ("zh-TW", ["zh-Hant-TW", "zh-TW"], "zh-TW"), ("zh-TW", ["zh", "en"], "zh"),
            ("zh-CN", ["zh-Hant", "zh-Hans"], "zh-Hans"), ("zh-SG", ["zh-TW", "zh"], "zh"),
            ("zh", ["zh-Hant", "zh-Hans"], "zh-Hans"), ("zh", ["zh-Hans", "zh"], "zh"),
            ("sr-Latn-RS", ["sr-Cyrl", "sr-Latn"], "sr-Latn"),
            ("sr-Latn-RS", ["sr-Cyrl-RS", "sr-ME"], "sr-ME"),
            ("sr-Latn-RS", ["sr-ME", "sr-Latn-ME"], "sr-Latn-ME"),
            ("sr-Latn-RS", ["sr-Cyrl", "de"], "sr-Cyrl"),
            ("sr-RS", ["sr-Latn", "sr-Cyrl"], "sr-Cyrl"),
        ] as [(String, [String], String)])
    func `is in a script that the person reads, if there is a choice`(
        locale: String, offered: [String], best: String
    ) {
        let languages = offered.map { Language($0) }
        #expect(Language.best(for: locale, among: languages)?.rawValue == best)
        #expect(Language.best(for: locale, among: languages.reversed())?.rawValue == best)
    }

    @Test(
        arguments: [
            // `no` and `nb` are one language, and the phone's own name of it comes first.
            ("nb-NO", ["en", "no"], "no"), ("no", ["en", "nb"], "nb"), ("NO_no", ["nb"], "nb"),
            ("nb", ["no", "nb"], "nb"), ("no", ["no", "nb"], "no"),
            ("nb-NO", ["no-NO", "nb"], "no-NO"), ("no-NO", ["no", "nb-NO"], "nb-NO"),
            // Nynorsk where there is some, before Bokmål.
            ("nn-NO", ["no", "nn", "en"], "nn"), ("nn", ["nb", "en"], "nb"),
            ("nn-NO", ["en", "no"], "no"), ("nn-NO", ["nb", "nb-NO"], "nb-NO"),
            ("nn", ["en", "da"], nil), ("nb", ["nn", "en"], nil), ("nob", ["nb"], nil),
        ] as [(String, [String], String?)])
    func `is Norwegian under either name`(locale: String, offered: [String], best: String?) {
        let languages = offered.map { Language($0) }
        #expect(Language.best(for: locale, among: languages)?.rawValue == best)
        #expect(Language.best(for: locale, among: languages.reversed())?.rawValue == best)
    }

    @Test(arguments: [
        ("de", ["de", "DE"], "DE"), ("de-AT", ["de", "DE"], "DE"),
        ("pt-AO", ["pt-pt", "pt-PT", "pt-BR"], "pt-PT"),
        ("pt-BR", ["pt-br", "pt-BR", "PT"], "pt-BR"),
    ])
    func `is the same one of several spellings, in whichever order they come`(
        locale: String, offered: [String], best: String
    ) {
        let languages = offered.map { Language($0) }
        #expect(Language.best(for: locale, among: languages)?.rawValue == best)
        #expect(Language.best(for: locale, among: languages.reversed())?.rawValue == best)
    }

    @Test(arguments: [
        ("de", "de"), ("DE", "de"), ("PT-br", "pt-BR"), ("ZH-hANT-tw", "zh-Hant-TW"),
        ("sl-ROZAJ-biske-1994", "sl-rozaj-biske-1994"), ("es-419", "es-419"),
        ("EN-A-BBBB-CC", "en-a-bbbb-cc"), ("de-CH-X-AB-Abcd", "de-CH-x-ab-abcd"), ("", ""),
    ])
    func `has a tag whose usual spelling is one, however it is written`(
        tag: String, usual: String
    ) {
        #expect(LanguageTag.usual(tag) == usual)
        #expect(LanguageTag.usual(usual) == usual)
        #expect(LanguageTag.usual(tag.uppercased()) == usual)
    }

    @Test func `is a text in JSON, as a value and as a name`() throws {
        let texts = [Language("pt-BR"): ["a"], Language("de"): []]
        let json = WireCoder.encode(texts)
        #expect(String(decoding: json, as: UTF8.self) == #"{"de":[],"pt-BR":["a"]}"#)
        #expect(try WireCoder.decode([Language: [String]].self, from: json) == texts)
        let list = WireCoder.encode([Language("de")])
        #expect(String(decoding: list, as: UTF8.self) == #"["de"]"#)
        #expect(try WireCoder.decode([Language].self, from: list) == [Language("de")])
    }

    @Test(arguments: [
        "de", "pt-BR", "zh-Hant-TW", "sl-rozaj-biske-1994", "en-a-bbb", "de-DE-1996", "DE",
        "abcdefgh", "de-12345678", "en-aaaaaaaa-bbbbbbbb-cccccccc-ddddd",
    ])
    func `has a tag of a certain form`(tag: String) {
        #expect(LanguageTag.isWellFormed(tag))
    }

    @Test(arguments: [
        "", "d", "x-private", "abcdefghi", "d1", "de_AT", "de-", "-de", "de--AT", "en-a", "dé",
        "de-123456789", "de AT", "de-Ä", "en-aaaaaaaa-bbbbbbbb-cccccccc-dddddd", "de\n",
    ])
    func `has no tag of another form`(tag: String) {
        #expect(!LanguageTag.isWellFormed(tag))
        #expect(LanguageTag.truncated(tag).map { $0.utf8.count < tag.utf8.count } ?? true)
    }

    @Test(
        arguments: [
            ("de", "de"), ("pt-BR", "pt-BR"),
            ("en-US-u-fw-mon-hc-h23-ms-metric-rg-gbzzzz", "en-US"),
            ("zh-Hant-TW-x-any", "zh-Hant-TW"), ("de-u", nil), ("en-US-u--fw", nil),
            ("en-aaaaaaaa-bbbbbbbb-cccccccc-dddddd-x-any", "en-aaaaaaaa-bbbbbbbb-cccccccc"),
            ("en" + String(repeating: "-x-a", count: 100), nil),
        ] as [(String, String?)])
    func `is taken without what a person has chosen beside it`(tag: String, plain: String?) {
        #expect(LanguageTag.truncated(tag) == plain)
    }
}

struct `The words of an alert` {
    private let alert = Alert(
        title: "Goal", body: "1 to 0",
        translations: [
            Language("de"): .init(title: "Tor", body: "1 zu 0"),
            Language("pt-BR"): .init(title: "Gol", body: "1 a 0"),
        ])

    @Test(
        arguments: [
            (nil, "Goal"), ("en", "Goal"), ("en-GB", "Goal"), ("de", "Tor"), ("de-AT", "Tor"),
            ("de_DE", "Tor"), ("pt", "Gol"), ("pt-PT", "Gol"), ("ja", "Goal"), ("", "Goal"),
        ] as [(String?, String)])
    func `are in the phone's language or in the standard one`(locale: String?, title: String) {
        #expect(alert.text(for: locale).title == title)
    }

    @Test func `are in Bokmål for people who read Nynorsk, before the standard ones`() {
        var norwegian = alert
        norwegian.translations[Language("no")] = .init(title: "Mål", body: "1–0")
        for locale in ["nn", "nn-NO", "nb-NO", "no"] {
            #expect(norwegian.text(for: locale).title == "Mål")
        }
        norwegian.translations[Language("nn")] = .init(title: "Mål!", body: "1–0")
        #expect(norwegian.text(for: "nn-NO").title == "Mål!")
    }

    @Test func `come together, title and body in one language`() {
        #expect(alert.text(for: "de") == .init(title: "Tor", body: "1 zu 0"))
        #expect(alert.text(for: "fr") == .init(title: "Goal", body: "1 to 0"))
        #expect(Set(alert.languages) == [Language("de"), Language("pt-BR")])
    }

    /// A tenant's English is the text itself.
    @Test func `are the standard ones in English, but for a region that has its own`() {
        var british = alert
        british.translations[Language("en-GB")] = .init(title: "Goal!", body: "One nil")
        for locale in ["en", "en-AU", "EN_us", "fr"] {
            #expect(british.text(for: locale).title == "Goal")
        }
        for locale in ["en-GB", "EN_gb", "en-GB-oxendict"] {
            #expect(british.text(for: locale).title == "Goal!")
        }
    }
}
