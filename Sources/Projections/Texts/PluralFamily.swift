/// Languages that choose alike between the forms of a whole number, named by what they look at.
///
/// Source: Unicode CLDR 49, plural rules of cardinals, of which this is what they say of whole
/// numbers. A form that only fractions take, such as `many` in Czech, is no form here.
enum PluralFamily: CaseIterable {
    case one, zeroAndOne, oneAndMillions, zeroOneAndMillions
    case tamazight, endInOne, filipino, latvian, zeroApart, dual, shilha, romanian
    case southSlavic, eastSlavic, polish, czech, lithuanian, samogitian, slovenian
    case scottish, irish, manx, breton, cornish, maltese, welsh, arabic

    /// Primary subtags of the family's languages.
    var languages: String {
        switch self {
        case .one:
            """
            af an asa ast az bal bem bez bg brx ce cgg chr ckb da de dv ee el en eo et eu fi fo \
            fur fy gsw ha haw hu ia ie io jgo ji jmc ka kaj kcg kk kkj kl ks ksb ku ky lb lg lij \
            mas mgo ml mn mr nah nb nd ne nl nn nnh no nr ny nyn om or os pap ps rm rof rwk saq \
            sc sd sdh seh sn so sq ss ssy st sv sw syr ta te teo tig tk tn tr ts ug ur uz ve vo \
            vun wae xh xog yi
            """
        case .zeroAndOne:
            """
            ak am as bh bho bn csw doi fa ff gu guw hi hy kab kn kok ln mg nso pa pcm si tg ti \
            vi wa zu
            """
        case .oneAndMillions: "ca es gl it lld scn vec"
        case .zeroOneAndMillions: "fr pt"
        case .tamazight: "tzm"
        case .endInOne: "is mk"
        case .filipino: "ceb fil tl"
        case .latvian: "lv prg"
        case .zeroApart: "blo cv ksh lag"
        case .dual: "he iu iw naq sat se sma smi smj smn sms"
        case .shilha: "shi"
        case .romanian: "mo ro"
        case .southSlavic: "bs hr sh sr"
        case .eastSlavic: "be ru uk"
        case .polish: "pl"
        case .czech: "cs sk"
        case .lithuanian: "lt"
        case .samogitian: "sgs"
        case .slovenian: "dsb hsb sl"
        case .scottish: "gd"
        case .irish: "ga"
        case .manx: "gv"
        case .breton: "br"
        case .cornish: "kw"
        case .maltese: "mt"
        case .welsh: "cy"
        case .arabic: "ar ars"
        }
    }

    /// By language. Whatever is not here has one form for all numbers, as Japanese has.
    private static let families: [String: PluralFamily] = {
        var families: [String: PluralFamily] = [:]
        for family in PluralFamily.allCases {
            for language in family.languages.split(separator: " ") {
                families[String(language)] = family
            }
        }
        return families
    }()

    /// - Parameter language: a primary subtag in lower case.
    static func of(_ language: String) -> PluralFamily? { families[language] }

    /// The form of a number.
    func category(of number: UInt) -> PluralCategory {
        switch self {
        case .one: number == 1 ? .one : .other
        case .zeroAndOne: number < 2 ? .one : .other
        case .oneAndMillions: number == 1 ? .one : Self.millions(number)
        case .zeroOneAndMillions: number < 2 ? .one : Self.millions(number)
        case .tamazight: number < 2 || (11...99).contains(number) ? .one : .other
        case .endInOne: number % 10 == 1 && number % 100 != 11 ? .one : .other
        case .filipino: [4, 6, 9].contains(number % 10) ? .other : .one
        case .latvian: Self.latvian(number)
        case .zeroApart: number == 0 ? .zero : number == 1 ? .one : .other
        case .dual: number == 1 ? .one : number == 2 ? .two : .other
        case .shilha: number < 2 ? .one : number <= 10 ? .few : .other
        case .romanian: Self.romanian(number)
        case .southSlavic: Self.eastSlavic(number) == .many ? .other : Self.eastSlavic(number)
        case .eastSlavic: Self.eastSlavic(number)
        case .polish: Self.polish(number)
        case .czech: number == 1 ? .one : (2...4).contains(number) ? .few : .other
        case .lithuanian: Self.lithuanian(number)
        case .samogitian: number == 2 ? .two : Self.samogitian(number)
        case .slovenian: Self.slovenian(number % 100)
        case .scottish: Self.scottish(number)
        case .irish: Self.irish(number)
        case .manx: Self.manx(number)
        case .breton: Self.breton(number)
        case .cornish: Self.cornish(number)
        case .maltese: Self.maltese(number)
        case .welsh: Self.welsh(number)
        case .arabic: Self.arabic(number)
        }
    }

    private static func millions(_ number: UInt) -> PluralCategory {
        number > 0 && number.isMultiple(of: 1_000_000) ? .many : .other
    }

    private static func latvian(_ number: UInt) -> PluralCategory {
        if number % 10 == 0 || (11...19).contains(number % 100) { return .zero }
        return number % 10 == 1 ? .one : .other
    }

    private static func romanian(_ number: UInt) -> PluralCategory {
        if number == 1 { return .one }
        return number == 0 || (1...19).contains(number % 100) ? .few : .other
    }

    private static func eastSlavic(_ number: UInt) -> PluralCategory {
        if (11...14).contains(number % 100) { return .many }
        return number % 10 == 1 ? .one : (2...4).contains(number % 10) ? .few : .many
    }

    private static func polish(_ number: UInt) -> PluralCategory {
        if number == 1 { return .one }
        return eastSlavic(number) == .few ? .few : .many
    }

    private static func lithuanian(_ number: UInt) -> PluralCategory {
        if number % 10 == 0 || (11...19).contains(number % 100) { return .other }
        return number % 10 == 1 ? .one : .few
    }

    private static func samogitian(_ number: UInt) -> PluralCategory {
        if number % 10 == 1, number % 100 != 11 { return .one }
        return lithuanian(number) == .few ? .few : .other
    }

    /// - Parameter end: the last two digits.
    private static func slovenian(_ end: UInt) -> PluralCategory {
        end == 1 ? .one : end == 2 ? .two : (3...4).contains(end) ? .few : .other
    }

    private static func scottish(_ number: UInt) -> PluralCategory {
        switch number {
        case 1, 11: .one
        case 2, 12: .two
        case 3...10, 13...19: .few
        default: .other
        }
    }

    private static func irish(_ number: UInt) -> PluralCategory {
        switch number {
        case 1: .one
        case 2: .two
        case 3...6: .few
        case 7...10: .many
        default: .other
        }
    }

    private static func manx(_ number: UInt) -> PluralCategory {
        if number % 10 == 1 { return .one }
        if number % 10 == 2 { return .two }
        return number.isMultiple(of: 20) ? .few : .other
    }

    private static func breton(_ number: UInt) -> PluralCategory {
        if number > 0, number.isMultiple(of: 1_000_000) { return .many }
        let tens = number % 100 / 10
        // Seventy and ninety are counted on from sixty and eighty, up to nineteen.
        let isOnItsOwn = ![1, 7, 9].contains(tens)
        switch number % 10 {
        case 1 where isOnItsOwn: return .one
        case 2 where isOnItsOwn: return .two
        case 3, 4, 9: return isOnItsOwn ? .few : .other
        default: return .other
        }
    }

    private static func cornish(_ number: UInt) -> PluralCategory {
        if number < 2 { return number == 0 ? .zero : .one }
        let isRound: Bool =
            switch number % 100_000 {
            case 1_000...20_000, 40_000, 60_000, 80_000: number.isMultiple(of: 1_000)
            default: number % 1_000_000 == 100_000
            }
        if isRound { return .two }
        switch number % 100 {
        case 2, 22, 42, 62, 82: return .two
        case 3, 23, 43, 63, 83: return .few
        case 1, 21, 41, 61, 81: return .many
        default: return .other
        }
    }

    private static func maltese(_ number: UInt) -> PluralCategory {
        if number == 1 || number == 2 { return number == 1 ? .one : .two }
        switch number % 100 {
        case 3...10: return .few
        case 11...19: return .many
        default: return number == 0 ? .few : .other
        }
    }

    private static func welsh(_ number: UInt) -> PluralCategory {
        switch number {
        case 0: .zero
        case 1: .one
        case 2: .two
        case 3: .few
        case 6: .many
        default: .other
        }
    }

    private static func arabic(_ number: UInt) -> PluralCategory {
        switch number % 100 {
        case 3...10: .few
        case 11...99: .many
        default: number == 0 ? .zero : number == 1 ? .one : number == 2 ? .two : .other
        }
    }
}
