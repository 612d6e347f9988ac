/// Why a text is not the JSON that Islet takes, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong with it.
    public enum Reason: Hashable, Sendable {
        case unexpectedEnd
        case unexpectedCharacter
        case trailingContent
        case tooDeep(levels: Int)
        case duplicateMember
        case invalidText
        case loneSurrogate
        case nullCharacter
        case numberTooLong(digits: Int)
        case numberOutOfRange
        case exponentTooLarge(digits: Int)
    }

    /// What is wrong with it.
    public var reason: Reason
    /// Byte offset into the text.
    public var offset: Int
    /// JSON pointer of the innermost value that was being read.
    public var pointer = ""

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    func inside(_ name: some StringProtocol) -> JSONError {
        var outer = self
        outer.pointer = "/" + JSONPointer.escaped(name) + pointer
        return outer
    }

    /// In words that complete "found".
    public var explanation: String {
        switch reason {
        case .unexpectedEnd: "the JSON text ends too early"
        case .unexpectedCharacter: "an unexpected character"
        case .trailingContent: "more text after the JSON value"
        case .tooDeep(let levels): "nested deeper than \(levels) levels"
        case .duplicateMember: "the same member name twice in one object"
        case .invalidText: "text that is not UTF-8, or an unescaped control character"
        case .loneSurrogate: "half of a surrogate pair, which is no character"
        case .nullCharacter: "the character U+0000, which the log cannot store"
        case .numberTooLong(let digits): "a number longer than \(digits) characters"
        case .numberOutOfRange: "a number beyond the range of a 64-bit floating-point number"
        case .exponentTooLarge(let digits):
            "a number longer than \(digits) characters when its exponent is written out"
        }
    }
}

/// RFC 6901.
public enum JSONPointer {
    /// A name of a member as a pointer has it.
    public static func escaped(_ name: some StringProtocol) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
        else { return String(name) }
        // By scalars: a slash and an accent behind it are one character.
        return name.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
