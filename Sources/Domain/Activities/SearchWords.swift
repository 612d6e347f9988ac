import Foundation

/// The words of names and numbers in the form in which they are searched: without case and accents,
/// each once.
public struct SearchWords: Hashable, Sendable {
    /// Sorted by their bytes.
    public private(set) var words: [String] = []

    public init() {}

    public static func == (left: SearchWords, right: SearchWords) -> Bool {
        left.words.elementsEqual(right.words) { $0.hasBytes(of: $1) }
    }

    public func hash(into hasher: inout Hasher) {
        for word in words { word.hashBytes(into: &hasher) }
    }

    /// - Parameter texts: words in them are what lies between spaces and punctuation.
    public init(_ texts: String?...) {
        if texts.count == 1, let word = texts[0].flatMap(Self.onlyWord) {
            words = [word]
            return
        }
        var found: Set<String> = []
        for case let text? in texts {
            for word in Self.plain(text).split(whereSeparator: { !$0.isLetter && !$0.isNumber })
            where word.utf8.count <= Limits.searchWordBytesMax { found.insert(String(word)) }
        }
        words = Array(
            found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                .prefix(Limits.searchWordsMax))
    }

    /// As they are stored: with a space between them. A word may begin with a sign that makes one
    /// character with what is before it, even with a space.
    public init(stored text: String) {
        words = text.unicodeScalars.split(separator: " ").map { String($0) }
    }

    /// As a column has them, with a space between.
    public var stored: String { words.joined(separator: " ") }

    /// True without any word.
    public var isEmpty: Bool { words.isEmpty }

    /// Whether each of the others is one of them.
    public func contains(all others: SearchWords) -> Bool {
        others.words.allSatisfy { words.containsBytes(of: $0) }
    }

    /// A number of an order is mostly one word of ASCII.
    private static func onlyWord(_ text: String) -> String? {
        let isOne = text.utf8.allSatisfy { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        }
        guard isOne, 1...Limits.searchWordBytesMax ~= text.utf8.count else { return nil }
        return text.lowercased()
    }

    /// Nearly every number and most names are ASCII, for which no table is needed.
    private static func plain(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        return text.folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
