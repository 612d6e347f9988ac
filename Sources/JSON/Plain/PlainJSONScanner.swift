internal import Encodings

/// Reads the plainest JSON without building anything: no escapes in strings, no exponents in
/// numbers, nothing nested beyond what the caller asks for.
///
/// It never explains: where it returns nil the text may be wrong or only unusual, and a parser that
/// takes everything has to read it from the start. What it does accept, any parser accepts with the
/// same meaning.
public struct PlainJSONScanner {
    /// Where a string stands, without its quotes.
    public struct Text {
        /// Without the quotes.
        public var range: Range<Int>
        /// Whether it has no byte above 127.
        public var isASCII: Bool
    }

    /// A value that is no object and no array.
    public enum Scalar {
        case null
        case flag(Bool)
        case integer(Int)
        case fraction
        case text(Text)
    }

    /// The whole JSON.
    public let text: UnsafeBufferPointer<UInt8>
    @usableFromInline var place = 0
    /// The next byte to be read.
    @inlinable public var index: Int { place }
    /// Where the last scalar began, quotes included.
    public private(set) var scalarStart = 0

    @inlinable public init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    /// Nothing but space is left.
    @inlinable public mutating func isAtEnd() -> Bool {
        skipSpace()
        return place == text.count
    }

    /// Takes the byte if it comes next, after any space.
    @inlinable public mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < text.count, text[index] == byte else { return false }
        place += 1
        return true
    }

    @inlinable mutating func skipSpace() {
        while index < text.count {
            switch text[index] {
            case 0x20, 0x0A, 0x0D, 0x09: place += 1
            default: return
            }
        }
    }

    /// A string, after any space.
    public mutating func string() -> Text? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = index
        var isASCII = true
        skipBareASCII()
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return Text(range: start..<(index - 1), isASCII: isASCII)
            case UInt8(ascii: "\\"), 0..<0x20: return nil
            case 0x20..<0x80: place += 1
            default:
                guard skipCharacter(startingWith: byte) else { return nil }
                isASCII = false
            }
        }
        return nil
    }

    /// Eight bytes at a time, as far as all of them are such: most of a text is.
    private mutating func skipBareASCII() {
        let bytes = UnsafeRawBufferPointer(text)
        while index + 8 <= text.count {
            let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard CanonicalText.areBare(eight), eight & 0x8080_8080_8080_8080 == 0 else { return }
            place += 8
        }
    }

    /// One character of several bytes of well-formed UTF-8 (The Unicode Standard, table 3-7).
    private mutating func skipCharacter(startingWith first: UInt8) -> Bool {
        let (count, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0xC2...0xDF: (count, second) = (2, 0x80...0xBF)
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (count, second) = (3, 0x80...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (count, second) = (4, 0x80...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        default: return false
        }
        guard index + count <= text.count, second.contains(text[index + 1]) else { return false }
        for byte in (index + 2)..<(index + count) where text[byte] & 0xC0 != 0x80 {
            return false
        }
        place += count
        return true
    }

    /// Anything but an array or object, after any space.
    public mutating func scalar() -> Scalar? {
        skipSpace()
        scalarStart = index
        guard index < text.count else { return nil }
        switch text[index] {
        case UInt8(ascii: "\""): return string().map(Scalar.text)
        case UInt8(ascii: "t"): return takeWord("true") ? .flag(true) : nil
        case UInt8(ascii: "f"): return takeWord("false") ? .flag(false) : nil
        case UInt8(ascii: "n"): return takeWord("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard index + count <= text.count, equals(index..<(index + count), word) else {
            return false
        }
        place += count
        return true
    }

    /// A number of so few digits that nobody reads it differently.
    private mutating func number() -> Scalar? {
        let start = index
        let isNegative = text[index] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        guard let whole = digits() else { return nil }
        guard index < text.count, text[index] == UInt8(ascii: ".") else {
            return .integer(isNegative ? -whole : whole)
        }
        place += 1
        guard digits(allowingLeadingZero: true) != nil, index - start <= Self.digitsMax else {
            return nil
        }
        return .fraction
    }

    /// Nil as well when an exponent follows.
    private mutating func digits(allowingLeadingZero: Bool = false) -> Int? {
        let start = index
        var value = 0
        while index < text.count, case let digit = text[index] &- UInt8(ascii: "0"), digit < 10 {
            guard index - start < Self.digitsMax else { return nil }
            value = value * 10 + Int(digit)
            place += 1
        }
        guard index > start, !isExponentNext else { return nil }
        let hasLeadingZero = text[start] == UInt8(ascii: "0") && index - start > 1
        return hasLeadingZero && !allowingLeadingZero ? nil : value
    }

    private var isExponentNext: Bool {
        index < text.count && text[index] | 0x20 == UInt8(ascii: "e")
    }

    /// A double can be all of them.
    private static let digitsMax = 15

    // MARK: What was read

    /// Whether these bytes are the word.
    @inlinable public func equals(_ range: Range<Int>, _ word: StaticString) -> Bool {
        range.count == word.utf8CodeUnitCount
            && isEqual(range, UnsafeBufferPointer(start: word.utf8Start, count: range.count))
    }

    /// Whether these bytes are the text.
    @inlinable public func equals(_ range: Range<Int>, _ other: String) -> Bool {
        guard range.count == other.utf8.count else { return false }
        let answer = other.utf8.withContiguousStorageIfAvailable { isEqual(range, $0) }
        return answer ?? bytes(range).elementsEqual(other.utf8)
    }

    /// Whether both ranges have the same bytes.
    public func equals(_ range: Range<Int>, _ other: Range<Int>) -> Bool {
        range.count == other.count && isEqual(range, bytes(other))
    }

    /// Of as many bytes.
    @usableFromInline func isEqual(
        _ range: Range<Int>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        UnsafeRawBufferPointer(bytes(range)).isSame(as: UnsafeRawBufferPointer(other))
    }

    /// The bytes of a range.
    @inlinable public func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: text[range])
    }

    /// The text of a range.
    @inlinable public func string(_ range: Range<Int>) -> String {
        String(decoding: bytes(range), as: UTF8.self)
    }
}
