import Foundation

/// Two texts that look the same and do not have the same bytes: Swift's `==` says that they are
/// equal, and Postgres that they are not.
public struct Lookalikes: Sendable, CustomStringConvertible {
    public let one: String
    public let other: String

    public static let cafe = Lookalikes(one: "caf\u{E9}", other: "cafe\u{301}")

    public init(one: String, other: String) {
        self.one = one
        self.other = other
    }

    /// - Parameter seed: the same gives the same pair.
    public init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let plain = ["a", "K", "7", "ß", "中", "🍕", ".", "-"]
        // Composed and decomposed, marks in two orders, Hangul, and scalars that stand for others.
        let pairs = [
            ("\u{E9}", "e\u{301}"), ("\u{1E69}", "s\u{323}\u{307}"),
            ("q\u{323}\u{307}", "q\u{307}\u{323}"), ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"),
            ("\u{212A}", "K"), ("\u{2126}", "\u{3A9}"), ("\u{C5}", "\u{212B}"),
        ]
        var (one, other) = ("", "")
        let count = Int.random(in: 1...8, using: &generator)
        let odd = Int.random(in: 0..<count, using: &generator)
        for index in 0..<count {
            if index == odd || Bool.random(using: &generator) {
                let pair = pairs[Int.random(in: 0..<pairs.count, using: &generator)]
                let isSwapped = Bool.random(using: &generator)
                one += isSwapped ? pair.1 : pair.0
                // One place is enough to tell them apart; others may be alike.
                let differs = index == odd || Bool.random(using: &generator)
                other += isSwapped == differs ? pair.0 : pair.1
            } else {
                let same = plain[Int.random(in: 0..<plain.count, using: &generator)]
                one += same
                other += same
            }
        }
        self.init(one: one, other: other)
    }

    public var description: String {
        [one, other].map { $0.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
            .joined(separator: " | ")
    }
}
