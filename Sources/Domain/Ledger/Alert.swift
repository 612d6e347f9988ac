/// The text of an alert on a phone. None of it is ever empty.
public struct Alert: Hashable, Sendable {
    /// A title and a body in one language.
    public struct Text: Hashable, Codable, Sendable {
        /// The first line.
        public var title: String
        /// The text below.
        public var body: String

        public init(title: String, body: String) {
            self.title = title
            self.body = body
        }
    }

    /// Where the app finds title and body among its own texts.
    public struct Keys: Hashable, Codable, Sendable {
        /// The first line.
        public var title: AppText
        /// The text below.
        public var body: AppText

        public init(title: AppText, body: AppText) {
            self.title = title
            self.body = body
        }
    }

    /// In the standard language.
    public var title: String
    /// In the standard language.
    public var body: String
    /// Sound file in the app's bundle, or `default`.
    public var sound: String
    /// Title and body in other languages.
    public var translations: [Language: Text] = [:]
    /// For an app that says it itself; nil when the texts above are sent.
    public var keys: Keys?

    @inlinable public init(
        title: String, body: String, sound: String = "default",
        translations: [Language: Text] = [:], keys: Keys? = nil
    ) {
        self.title = title
        self.body = body
        self.sound = sound
        self.translations = translations
        self.keys = keys
    }

    /// The languages that it is translated into.
    public var languages: [Language] { Array(translations.keys) }

    /// The text for a phone set to `locale`, a BCP 47 tag; nil for a phone that gave none.
    public func text(for locale: String?) -> Text {
        guard let locale,
            let language = Language.best(for: locale, among: languages + [.standard]),
            let text = translations[language]
        else { return Text(title: title, body: body) }
        return text
    }
}

extension Alert: Codable {
    private enum Member: String, CodingKey {
        case title, body, sound, translations, keys
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        title = try members.decode(String.self, forKey: .title)
        body = try members.decode(String.self, forKey: .body)
        sound = try members.decode(String.self, forKey: .sound)
        translations =
            try members.decodeIfPresent([Language: Text].self, forKey: .translations) ?? [:]
        keys = try members.decodeIfPresent(Keys.self, forKey: .keys)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(title, forKey: .title)
        try members.encode(body, forKey: .body)
        try members.encode(sound, forKey: .sound)
        if !translations.isEmpty { try members.encode(translations, forKey: .translations) }
        try members.encodeIfPresent(keys, forKey: .keys)
    }
}
