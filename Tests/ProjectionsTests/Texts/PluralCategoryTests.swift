import Domain
import Testing

@testable import Projections

/// What CLDR 49 says of whole numbers, made of its data by Babel 2.19.
struct PluralCategoryTests {
    private static let numbers = [
        0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 19, 20, 21, 22, 23, 25, 31, 71, 91, 100, 101,
        102, 103, 111, 112, 120, 121, 1_000, 1_000_000,
    ]

    /// Of each language those of `numbers` that have a form; what is left has `other`.
    private static let table = """
        ar zero:0 one:1 two:2 few:3,4,5,6,7,9,10,103 \
        many:11,12,13,14,19,20,21,22,23,25,31,71,91,111,112,120,121
        he one:1 two:2
        ro one:1 few:0,2,3,4,5,6,7,9,10,11,12,13,14,19,101,102,103,111,112
        lt one:1,21,31,71,91,101,121 few:2,3,4,5,6,7,9,22,23,25,102,103
        lv zero:0,10,11,12,13,14,19,20,100,111,112,120,1000,1000000 one:1,21,31,71,91,101,121
        sl one:1,101 two:2,102 few:3,4,103
        mt one:1 two:2 few:0,3,4,5,6,7,9,10,103 many:11,12,13,14,19,111,112
        cy zero:0 one:1 two:2 few:3 many:6
        ga one:1 two:2 few:3,4,5,6 many:7,9,10
        gd one:1,11 two:2,12 few:3,4,5,6,7,9,10,13,14,19
        br one:1,21,31,101,121 two:2,22,102 few:3,4,9,23,103 many:1000000
        gv one:1,11,21,31,71,91,101,111,121 two:2,12,22,102,112 few:0,20,100,120,1000,1000000
        kw zero:0 one:1 two:2,22,102,1000 few:3,23,103 many:21,101,121
        hi one:0,1
        is one:1,21,31,71,91,101,121
        mk one:1,21,31,71,91,101,121
        hsb one:1,101 two:2,102 few:3,4,103
        ru one:1,21,31,71,91,101,121 few:2,3,4,22,23,102,103 \
        many:0,5,6,7,9,10,11,12,13,14,19,20,25,100,111,112,120,1000,1000000
        pl one:1 few:2,3,4,22,23,102,103 \
        many:0,5,6,7,9,10,11,12,13,14,19,20,21,25,31,71,91,100,101,111,112,120,121,1000,1000000
        sr one:1,21,31,71,91,101,121 few:2,3,4,22,23,102,103
        cs one:1 few:2,3,4
        fr one:0,1 many:1000000
        pt one:0,1 many:1000000
        pt-PT one:1 many:1000000
        es one:1 many:1000000
        en one:1
        lag zero:0 one:1
        fil one:0,1,2,3,5,7,10,11,12,13,20,21,22,23,25,31,71,91,100,101,102,103,111,112 \
        one:120,121,1000,1000000
        shi one:0,1 few:2,3,4,5,6,7,9,10
        tzm one:0,1,11,12,13,14,19,20,21,22,23,25,31,71,91
        se one:1 two:2
        sgs one:1,21,31,71,91,101,121 two:2 few:3,4,5,6,7,9,22,23,25,102,103
        ja
        vi one:0,1
        """

    @Test func `the form of a number is the one that CLDR gives it`() throws {
        for line in Self.table.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            var forms: [Int: PluralCategory] = [:]
            for word in words.dropFirst() {
                let parts = word.split(separator: ":")
                let form = try #require(PluralCategory(rawValue: String(parts[0])))
                for number in parts[1].split(separator: ",") {
                    forms[try #require(Int(number))] = form
                }
            }
            let language = Language(words[0])
            for number in Self.numbers {
                let found = PluralCategory.of(number, in: language)
                #expect(found == forms[number] ?? .other, "\(words[0]) \(number)")
            }
        }
    }

    @Test(arguments: [
        ("en", "de"), ("hi", "fa"), ("hi", "bn"), ("hi", "am"), ("hi", "gu"), ("hi", "kn"),
        ("hi", "zu"), ("hi", "hy"), ("hi", "kab"), ("ro", "mo"), ("sl", "dsb"), ("ru", "be"),
        ("ru", "uk"), ("sr", "hr"), ("sr", "bs"), ("cs", "sk"), ("lag", "ksh"), ("en", "da"),
        ("se", "smn"), ("he", "iw"), ("es", "it"), ("es", "ca"), ("ar", "ar-EG"), ("ru", "RU"),
        ("pt-PT", "PT-pt"), ("pt", "pt-BR"), ("pt", "pt-AO"), ("ja", "zh-Hant"), ("ja", "tlh"),
        ("fil", "tl"),
    ])
    func `languages of one family, regions and spellings choose alike`(
        tag: String, other: String
    ) {
        for number in Array(0...200) + [1_000_000] {
            #expect(
                PluralCategory.of(number, in: Language(tag))
                    == PluralCategory.of(number, in: Language(other)), "\(number)")
        }
        #expect(
            PluralCategory.used(in: Language(tag)) == PluralCategory.used(in: Language(other)))
    }

    @Test func `the forms of a language are those of its numbers, and other`() {
        let forms: [String: [PluralCategory]] = [
            "ar": [.zero, .one, .two, .few, .many, .other], "ru": [.one, .few, .many, .other],
            "cs": [.one, .few, .other], "en": [.one, .other], "fr": [.one, .many, .other],
            "gv": [.one, .two, .few, .other], "ja": [.other], "tlh": [.other],
            "br": [.one, .two, .few, .many, .other],
            "kw": [.zero, .one, .two, .few, .many, .other],
        ]
        for (tag, expected) in forms {
            #expect(PluralCategory.used(in: Language(tag)) == expected, "\(tag)")
        }
    }

    @Test func `no form of any family is left out of those that are used`() {
        let numbers: [UInt] = Array(0...1_200) + [2_000, 40_000, 100_000, 1_100_000, 2_000_000]
        for family in PluralFamily.allCases {
            let all = Set(numbers.map { family.category(of: $0) }).union([.other])
            let language = Language(
                family.languages.split(separator: " ").first.map(String.init) ?? "")
            #expect(Set(PluralCategory.used(in: language)) == all, "\(family)")
        }
    }
}
