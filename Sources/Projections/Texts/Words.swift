/// What an alert says, before it is put into a language.
public struct Words: Hashable, Sendable {
    /// The first line.
    public var title: Phrase
    /// The text below.
    public var body: Phrase

    public init(title: Phrase, body: Phrase) {
        self.title = title
        self.body = body
    }

    /// Both from one set of arguments, by the keys `NAME.title` and `NAME.body`.
    public init(_ name: String, _ arguments: Phrase.Arguments = [:]) {
        title = Phrase(name + ".title", arguments)
        body = Phrase(name + ".body", arguments)
    }
}

/// A piece of text by its key in a kind's texts, with what is to be filled in.
public struct Phrase: Hashable, Sendable {
    /// What fills a placeholder.
    public indirect enum Argument: Hashable, Sendable {
        /// As it is in every language: names, scores.
        case text(String)
        /// Decides between plural forms where the text has such.
        case count(Int)
        case phrase(Phrase)

        /// What a sentence ends with: its reason, or the full stop.
        static func reason(_ reason: String?) -> Argument {
            .text(reason.map { ": \($0.isolated)" } ?? ".")
        }
    }

    /// Named, in the order in which they were given.
    public struct Arguments: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        let list: [Named]

        struct Named: Hashable, Sendable {
            let name: String
            let value: Argument
        }

        private init(_ list: [Named]) { self.list = list }

        /// These, and the others after them.
        public func adding(_ others: Arguments) -> Arguments { Arguments(list + others.list) }

        public init(dictionaryLiteral elements: (String, Argument)...) {
            list = elements.map { Named(name: $0.0, value: $0.1) }
        }

        subscript(_ name: some StringProtocol) -> Argument? {
            list.first { $0.name == name }?.value
        }
    }

    let key: String
    let arguments: Arguments

    public init(_ key: String, _ arguments: Arguments = [:]) {
        self.key = key
        self.arguments = arguments
    }

    /// Somebody else's text, in whatever language it is.
    public static func verbatim(_ text: String) -> Phrase {
        Phrase(verbatimKey, ["text": .text(text)])
    }

    static let verbatimKey = ""
}
