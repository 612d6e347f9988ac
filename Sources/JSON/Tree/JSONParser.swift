import Encodings

/// A strict RFC 8259 parser with bounds, reading each byte once.
///
/// Refuses what other parsers silently change: equal member names, halves of surrogate pairs,
/// numbers beyond a `Double`. Depth is bounded, so no input can exhaust the stack.
public struct JSONParser {
    private let text: [UInt8]
    private let depthMax: Int
    private let isStrict: Bool
    private let takesLongNumbers: Bool
    private var index = 0

    /// The deepest event of any kind has 4 levels; far below what could exhaust a stack.
    public static let jsonDepthMax = 32

    /// The value that the whole text is.
    /// - Parameters:
    ///   - depthMax: how deep it may be nested.
    ///   - isStrict: false for what somebody has stored: of equal names the first counts, U+0000 is
    ///     a character and a number may be beyond a `Double`, as for `JSONDecoder`.
    ///   - takesLongNumbers: true for what a log gives back, which writes numbers out: one without
    ///     an exponent may have any length.
    public static func parse(
        _ text: [UInt8], depthMax: Int = jsonDepthMax, isStrict: Bool = true,
        takesLongNumbers: Bool = false
    ) throws(JSONError) -> JSON {
        var parser = JSONParser(
            text: text, depthMax: depthMax, isStrict: isStrict, takesLongNumbers: takesLongNumbers)
        parser.skipSpace()
        let value = try parser.value(depth: 1)
        parser.skipSpace()
        guard parser.index == text.count else {
            throw JSONError(.trailingContent, at: parser.index)
        }
        return value
    }

    private mutating func skipSpace() {
        while index < text.count {
            let byte = text[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }

    private var unexpected: JSONError {
        JSONError(index < text.count ? .unexpectedCharacter : .unexpectedEnd, at: index)
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard index < text.count else { throw unexpected }
        switch text[index] {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let matches = word.withUTF8Buffer { text[index...].starts(with: $0) }
        guard matches else { throw unexpected }
        index += word.utf8CodeUnitCount
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSON] {
        guard depth <= depthMax else { throw JSONError(.tooDeep(levels: depthMax), at: index) }
        index += 1
        var elements: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            skipSpace()
            do { elements.append(try value(depth: depth + 1)) } catch {
                throw error.inside(String(elements.count))
            }
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw unexpected }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> [JSON.Member] {
        guard depth <= depthMax else { throw JSONError(.tooDeep(levels: depthMax), at: index) }
        index += 1
        var members: [JSON.Member] = []
        var names = MemberNames()
        skipSpace()
        if take(UInt8(ascii: "}")) { return members }
        while true {
            skipSpace()
            let start = index
            guard start < text.count, text[start] == UInt8(ascii: "\"") else { throw unexpected }
            let name = try string()
            let isNew = names.insert(name, after: members)
            guard isNew || !isStrict else {
                throw JSONError(.duplicateMember, at: start).inside(name)
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected }
            skipSpace()
            do {
                let value = try value(depth: depth + 1)
                if isNew { members.append(.init(name: name, value: value)) }
            } catch { throw error.inside(name) }
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            guard take(UInt8(ascii: ",")) else { throw unexpected }
        }
    }

    /// Reads `"…"`; without escapes, the bytes in between are the text.
    private mutating func string() throws(JSONError) -> String {
        let start = index
        index += 1
        var isASCII = true
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index += 1
                let bytes = text[(start + 1)..<(index - 1)]
                // Nothing to validate, and validating is slow.
                if isASCII { return String(decoding: bytes, as: UTF8.self) }
                return try decoded(bytes, at: start)
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw JSONError(.invalidText, at: index)
            case let byte:
                isASCII = isASCII && byte < 0x80
                index += 1
            }
        }
        throw unexpected
    }

    private func decoded(_ bytes: some Sequence<UInt8>, at start: Int) throws(JSONError) -> String {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw JSONError(.invalidText, at: start)
        }
        return string
    }

    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var bytes = Array(text[(start + 1)..<index])
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return try decoded(bytes, at: start)
            case UInt8(ascii: "\\"): bytes.append(contentsOf: try escape())
            case 0..<0x20: throw JSONError(.invalidText, at: index - 1)
            default: bytes.append(byte)
            }
        }
        throw unexpected
    }

    /// The UTF-8 bytes of one escape whose backslash has been read.
    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard index < text.count else { throw unexpected }
        let byte = text[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try unicodeEscape())).utf8)
        default: throw JSONError(.unexpectedCharacter, at: index - 1)
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let start = index - 2
        let first = try hexadecimal()
        var code = UInt32(first)
        if UTF16.isLeadSurrogate(first) {
            guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                throw JSONError(.loneSurrogate, at: start)
            }
            let second = try hexadecimal()
            guard UTF16.isTrailSurrogate(second) else { throw JSONError(.loneSurrogate, at: start) }
            code = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        }
        guard code != 0 || !isStrict else { throw JSONError(.nullCharacter, at: start) }
        guard let scalar = Unicode.Scalar(code) else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard index < text.count, let digit = Hexadecimal.value(of: text[index]) else {
                throw unexpected
            }
            value = value << 4 | UInt16(digit)
            index += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> String {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        let hasExponent = take(UInt8(ascii: "e")) || take(UInt8(ascii: "E"))
        if hasExponent {
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            try digits()
        }
        let isBounded = isStrict && (hasExponent || !takesLongNumbers)
        let bytesMax = hasExponent ? Limits.exponentNumberBytesMax : Limits.numberBytesMax
        guard index - start <= bytesMax || !isBounded else {
            throw JSONError(.numberTooLong(digits: bytesMax), at: start)
        }
        let literal = String(decoding: text[start..<index], as: UTF8.self)
        guard isBounded else { return literal }
        // A literal that underflows to zero would be another number to everyone who reads it.
        let mantissa = literal.prefix { $0 != "e" && $0 != "E" }
        guard let double = Double(literal), double.isFinite,
            double != 0 || !mantissa.contains(where: { ("1"..."9").contains($0) })
        else { throw JSONError(.numberOutOfRange, at: start) }
        guard NumberLiteral.bytesWrittenOut(literal) <= Limits.numberBytesMax else {
            throw JSONError(.exponentTooLarge(digits: Limits.numberBytesMax), at: start)
        }
        return literal
    }

    private mutating func digits() throws(JSONError) {
        let start = index
        while index < text.count, (48...57).contains(text[index]) { index += 1 }
        guard index > start else { throw unexpected }
    }
}
