/// A language that texts are in, as a BCP 47 tag in its usual spelling: `de`, `pt-BR`.
public struct Language: RawRepresentable, Hashable, Codable, Sendable, CodingKeyRepresentable {
    /// As BCP 47 writes it, such as `pt-BR`.
    public let rawValue: String

    /// The one that every text has, for phones whose language has none.
    public static let standard = Language("en")

    public init(_ rawValue: String) { self.rawValue = rawValue }

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Without script and region: `pt` of `pt-BR`.
    public var primary: String {
        // Most are nothing but that.
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        if rawValue.utf8.allSatisfy(letters.contains) { return rawValue }
        return String(rawValue.prefix { $0 != "-" && $0 != "_" }).lowercased()
    }

    /// The best of `languages` for a phone set to `locale`, in whichever order they come; nil when
    /// none fits: that very tag or, when it is shortened from its end, the first that there is
    /// (RFC 4647, section 3.4). Else another region's, and one in another script when there is no
    /// choice. Norwegian is Bokmål; who reads Nynorsk reads that too where there is none of it.
    public static func best(
        for locale: String, among languages: some Collection<Language>
    ) -> Language? {
        let wanted = ReadTag(locale)
        if let best = best(for: wanted, of: locale, among: languages) { return best }
        guard let kindred = wanted.kindredLanguage else { return nil }
        return best(for: kindred, of: locale, among: languages)
    }

    private static func best(
        for wanted: ReadTag, of locale: String, among languages: some Collection<Language>
    ) -> Language? {
        let primary = Language(wanted.text).primary
        let spelled = Language(locale).primary
        var best: (language: Language, fit: Fit)?
        for language in languages where ReadTag.primary(language.primary) == primary {
            let fit = Fit(of: ReadTag(language.rawValue), for: wanted)
            guard let known = best, known.fit <= fit else {
                best = (language, fit)
                continue
            }
            // Of several that fit alike, and of several spellings, it is always the same one.
            if known.fit == fit, language.isBefore(known.language, whereItIs: spelled) {
                best = (language, fit)
            }
        }
        return best?.language
    }

    /// `no` and `nb` are one language: the phone's own name of it comes first.
    private func isBefore(_ other: Language, whereItIs spelled: String) -> Bool {
        let (isOwn, isOthersOwn) = (primary == spelled, other.primary == spelled)
        guard isOwn == isOthersOwn else { return isOwn }
        return rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }
}

/// How well a language fits a phone of the same primary one: the lower the better.
private enum Fit: Comparable {
    case exact
    case shortened(by: Int)
    /// It is of another region, where people read it as their own.
    case kindred
    case otherRegion
    /// Only one of the two says in which script it is.
    case anyScript
    case otherScript

    init(of offered: ReadTag, for wanted: ReadTag) {
        if offered.text == wanted.text {
            self = .exact
        } else if wanted.subtags.starts(with: offered.subtags) {
            self = .shortened(by: wanted.subtags.count - offered.subtags.count)
        } else if let script = offered.script, let other = wanted.script, script != other {
            self = .otherScript
        } else if offered.script != wanted.script {
            self = .anyScript
        } else {
            self = offered.text == wanted.kindred ? .kindred : .otherRegion
        }
    }
}

/// A language tag in lower case, and what it says.
private struct ReadTag {
    let text: String
    /// With the script, where a language's region decides that.
    let subtags: [Substring]

    /// Where Chinese is written in traditional characters; elsewhere it is in simplified ones.
    private static let traditional: Set<Substring> = ["tw", "hk", "mo"]

    init(_ tag: String) {
        let lower = tag.replacing("_", with: "-").lowercased()
        let spelled = lower.prefix { $0 != "-" }
        let text = Self.primary(String(spelled)) + lower.dropFirst(spelled.count)
        self.text = text
        var subtags = text.split(separator: "-")
        if subtags.first == "zh", !subtags.contains(where: Self.isScript) {
            let isTraditional = subtags.contains(where: Self.traditional.contains)
            subtags.insert(isTraditional ? "hant" : "hans", at: 1)
        }
        self.subtags = subtags
    }

    /// As which a language counts: `no` says nothing else than `nb`.
    static func primary(_ primary: String) -> String { primary == "no" ? "nb" : primary }

    /// In a language that its readers read as well.
    var kindredLanguage: ReadTag? {
        subtags.first == "nn" ? ReadTag("nb" + text.dropFirst(2)) : nil
    }

    var script: Substring? { subtags.dropFirst().first(where: Self.isScript) }

    /// Portuguese is Brazil's or, everywhere else, Portugal's.
    var kindred: String? {
        subtags.first == "pt" && subtags.count > 1 && !subtags.contains("br") ? "pt-pt" : nil
    }

    /// Variants of four characters begin with a digit.
    private static func isScript(_ subtag: Substring) -> Bool {
        subtag.utf8.count == 4 && subtag.utf8.allSatisfy { (97...122).contains($0) }
    }
}

/// BCP 47 language tags, as far as their form goes (RFC 5646, section 2.1). The owner of the texts
/// knows whether a language or region exists.
public enum LanguageTag {
    /// The longest registered one has 35 bytes; extensions come behind it.
    private static let (bytesMax, extendedBytesMax) = (35, 255)

    /// Whether a text has the form of a language tag.
    public static func isWellFormed(_ text: String) -> Bool {
        text.utf8.count <= bytesMax && hasForm(text)
    }

    /// What a phone says of its language, without extensions (RFC 5646, section 2.2.6): iOS adds
    /// the person's calendar and first day of the week, of which no text is made. Of a tag that is
    /// still too long the last subtags go, as its section 4.4.2 says.
    /// - Returns: nil when it has not the form of a language tag.
    public static func truncated(_ text: String) -> String? {
        guard text.utf8.count <= extendedBytesMax, hasForm(text) else { return nil }
        var subtags = text.split(separator: "-").prefix { $0.utf8.count > 1 }
        while subtags.reduce(subtags.count - 1, { $0 + $1.utf8.count }) > bytesMax {
            subtags.removeLast()
        }
        return subtags.joined(separator: "-")
    }

    /// In its usual spelling (RFC 5646, section 2.1.1): `pt-BR` of `PT-br`, `zh-Hant-TW` of
    /// `ZH-HANT-tw`. Tags have no case, and two of one spelling are the same language.
    public static func usual(_ text: String) -> String {
        var isExtended = false
        let subtags = text.split(separator: "-", omittingEmptySubsequences: false)
        let spelled = subtags.enumerated().map { place, subtag -> String in
            let lower = subtag.lowercased()
            let isScript = subtag.utf8.count == 4 && subtag.utf8.allSatisfy(isLetter)
            let isRegion = subtag.utf8.count == 2 && subtag.utf8.allSatisfy(isLetter)
            // What follows a single letter says neither script nor region.
            defer { if subtag.utf8.count == 1 { isExtended = true } }
            guard place > 0, !isExtended else { return lower }
            if isRegion { return lower.uppercased() }
            guard isScript else { return lower }
            return lower.prefix(1).uppercased() + String(lower.dropFirst())
        }
        return spelled.joined(separator: "-")
    }

    private static func hasForm(_ text: String) -> Bool {
        let subtags = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = subtags.first, (2...8).contains(language.count),
            language.allSatisfy(isLetter)
        else { return false }
        // A single letter announces an extension, so something has to follow it.
        guard let last = subtags.last, subtags.count == 1 || last.count > 1 else { return false }
        return subtags.dropFirst().allSatisfy { subtag in
            (1...8).contains(subtag.count)
                && subtag.allSatisfy { isLetter($0) || (48...57).contains($0) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (97...122).contains(byte | 0x20)
    }
}
