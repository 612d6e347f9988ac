/// BCP 47 language tags, as far as their form goes (RFC 5646, section 2.1): whether a language or
/// region exists is for whoever has texts in it.
public enum LanguageTag {
    /// The longest registered one has 35 bytes.
    private static let bytesMax = 35

    /// Whether a text has the form of a language tag.
    public static func isWellFormed(_ text: String) -> Bool {
        guard text.utf8.count <= bytesMax else { return false }
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
