/// A language that texts are in, as a BCP 47 tag in its usual spelling: `de`, `pt-BR`.
public struct Language: Hashable, Codable, Sendable, CodingKeyRepresentable {
    /// As BCP 47 writes it, such as `pt-BR`.
    public let rawValue: String

    /// The one that every text has, for phones whose language has none.
    public static let standard = Language("en")

    public init(_ rawValue: String) { self.rawValue = rawValue }

    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public var codingKey: any CodingKey { rawValue.codingKey }

    public init?<T: CodingKey>(codingKey: T) { rawValue = codingKey.stringValue }

    /// Without script and region: `pt` of `pt-BR`.
    public var primary: String {
        // Most are nothing but that.
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        if rawValue.utf8.allSatisfy(letters.contains) { return rawValue }
        return String(rawValue.prefix { $0 != "-" && $0 != "_" }).lowercased()
    }

    /// The best of `languages` for a phone set to `locale`; nil when none fits.
    public static func best(for locale: String, among languages: some Sequence<Language>)
        -> Language?
    {
        let wanted = locale.replacing("_", with: "-").lowercased()
        let primary = Language(wanted).primary
        var best: Language?
        for language in languages {
            let offered = language.rawValue.lowercased()
            if offered == wanted { return language }
            if offered == primary || (best == nil && language.primary == primary) {
                best = language
            }
        }
        return best
    }
}
