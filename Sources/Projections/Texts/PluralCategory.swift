import Domain

/// The forms that a language has for counted things. `other` is there in every language.
public enum PluralCategory: String, Codable, CaseIterable, Sendable {
    case zero, one, two, few, many, other
}

extension PluralCategory {
    /// The form for a whole number. A language of which CLDR says nothing has one form for all.
    static func of(_ count: Int, in language: Language) -> PluralCategory {
        family(of: language)?.category(of: count.magnitude) ?? .other
    }

    /// Categories that some whole number takes in a language, and `other`, which every text has.
    static func used(in language: Language) -> [PluralCategory] {
        guard let family = family(of: language) else { return [.other] }
        let found = Set(telling.map(family.category(of:))).union([.other])
        return allCases.filter(found.contains)
    }

    /// Numbers among which every family takes each of its forms.
    private static let telling: [UInt] = Array(0...200) + [1_000_000]

    private static func family(of language: Language) -> PluralFamily? {
        let primary = language.primary
        // Portugal says "0 minutos", and Brazil "0 minuto".
        let isOfPortugal = primary == "pt" && LanguageTag.usual(language.rawValue) == "pt-PT"
        return isOfPortugal ? .oneAndMillions : PluralFamily.of(primary)
    }
}
