import Domain

/// The forms that a language has for counted things. `other` is there in every language.
public enum PluralCategory: String, Codable, CaseIterable, Sendable {
    case zero, one, two, few, many, other
}

extension PluralCategory {
    /// The form for a whole number. A language that is not known here has one form for all.
    /// Source: Unicode CLDR, Language Plural Rules, cardinals of integers.
    static func of(_ count: Int, in language: Language) -> PluralCategory {
        let number = count.magnitude
        switch language.primary {
        case "en", "de", "nl", "sv", "da", "nb", "nn", "no", "fi", "et", "hu", "tr", "el", "bg",
            "it",
            "es", "ca", "sq", "eu", "gl":
            return number == 1 ? .one : .other
        case "fr", "pt": return number < 2 ? .one : .other
        case "cs", "sk":
            return number == 1 ? .one : (2...4).contains(number) ? .few : .other
        case "pl": return number == 1 ? .one : slavic(number)
        case "ru", "uk", "be":
            return number % 10 == 1 && number % 100 != 11 ? .one : slavic(number)
        case "hr", "sr", "bs":
            if number % 10 == 1, number % 100 != 11 { return .one }
            return slavic(number) == .few ? .few : .other
        default: return .other
        }
    }

    private static func slavic(_ number: UInt) -> PluralCategory {
        let isTeen = (12...14).contains(number % 100)
        return (2...4).contains(number % 10) && !isTeen ? .few : .many
    }
}
