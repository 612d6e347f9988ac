/// What identifiers of events and activities have in common.
public enum AttributeText {
    /// The end of a sentence that begins with the text's name; nil when all is well.
    public static func refusal(of text: String) -> String? {
        if text.isEmpty { return "must not be empty" }
        if text.utf8.count > Limits.attributeBytesMax {
            return "must not be longer than \(Limits.attributeBytesMax) bytes"
        }
        if text.unicodeScalars.contains(where: isControl) {
            return "must not have control characters"
        }
        return nil
    }

    /// Unicode's general category Cc, without its tables: this looks at every character that comes
    /// in.
    @inlinable public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
