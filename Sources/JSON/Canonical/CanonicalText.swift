/// What JSON is appended to.
public protocol JSONText {
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf bytes: some Sequence<UInt8>)
}

extension [UInt8]: JSONText {}

/// How strings and numbers are written in JSON.
public enum CanonicalText {
    /// How control characters are escaped that have a short form, such as `\n`.
    public enum Controls {
        /// In it.
        case short
        /// By their numbers, as `\u000a`, like all others.
        case numbered
    }

    /// In its quotes, escaped where it must be.
    /// - Returns: true when nothing had to be.
    @discardableResult
    @inlinable public static func append(
        _ string: String, to text: inout some JSONText, controls: Controls = .short
    ) -> Bool {
        text.append(UInt8(ascii: "\""))
        var string = string
        let isPlain = string.withUTF8 { bytes in
            // Nearly always all there is to it.
            if areBare(bytes) {
                text.append(contentsOf: bytes)
                return true
            }
            for byte in bytes { append(byte, to: &text, controls) }
            return false
        }
        text.append(UInt8(ascii: "\""))
        return isPlain
    }

    @inlinable static func areBare(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var place = 0
        while place + 8 <= raw.count {
            let eight = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard areBare(eight) else { return false }
            place += 8
        }
        return bytes[place...].allSatisfy {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
    }

    /// Whether none of eight bytes is a control character, a quote or a backslash, and so each may
    /// stand in a string as it is.
    /// Source: Bit Twiddling Hacks, "Determine if a word has a byte less than n".
    @inline(__always) @inlinable static func areBare(_ eight: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        func hasByte(below limit: UInt64, in word: UInt64) -> UInt64 {
            (word &- ones &* limit) & ~word
        }
        let found =
            hasByte(below: 0x20, in: eight)
            | hasByte(below: 1, in: eight ^ ones &* UInt64(UInt8(ascii: "\"")))
            | hasByte(below: 1, in: eight ^ ones &* UInt64(UInt8(ascii: "\\")))
        return found & 0x8080_8080_8080_8080 == 0
    }

    /// A byte of a string, escaped where it must be.
    @inlinable static func append(
        _ byte: UInt8, to text: inout some JSONText, _ controls: Controls
    ) {
        switch byte {
        case UInt8(ascii: "\""): text.append(contentsOf: #"\""#.utf8)
        case UInt8(ascii: "\\"): text.append(contentsOf: #"\\"#.utf8)
        case 0x08 where controls == .short: text.append(contentsOf: #"\b"#.utf8)
        case 0x09 where controls == .short: text.append(contentsOf: #"\t"#.utf8)
        case 0x0A where controls == .short: text.append(contentsOf: #"\n"#.utf8)
        case 0x0C where controls == .short: text.append(contentsOf: #"\f"#.utf8)
        case 0x0D where controls == .short: text.append(contentsOf: #"\r"#.utf8)
        case 0..<0x20:
            text.append(contentsOf: (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8)
            text.append(contentsOf: String(byte, radix: 16).utf8)
        default: text.append(byte)
        }
    }

    /// In decimal digits.
    @inlinable public static func append(
        _ number: some FixedWidthInteger, to text: inout some JSONText
    ) {
        guard let count = Int64(exactly: number) else {
            text.append(contentsOf: String(number).utf8)
            return
        }
        // Digits come last first; there are nineteen and a sign at most.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = digits.count
            var rest = count.magnitude
            repeat {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if count < 0 {
                first -= 1
                digits[first] = UInt8(ascii: "-")
            }
            text.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Budgets count in thousandths, of which the shortest form is the decimal one.
    public static func append(_ number: Double, to text: inout some JSONText) {
        let thousandths = (number * 1000).rounded()
        // Below, each number of so many digits is another one; -0 is not written as 0.
        guard number.magnitude < 1e9, thousandths / 1000 == number,
            thousandths != 0 || number.sign == .plus
        else { return append(description: number, to: &text) }
        let count = Int(thousandths.magnitude)
        if number < 0 { text.append(UInt8(ascii: "-")) }
        append(count / 1000, to: &text)
        var rest = count % 1000
        guard rest > 0 else { return }
        text.append(UInt8(ascii: "."))
        var place = 100
        while rest > 0 {
            text.append(UInt8(ascii: "0") + UInt8(rest / place))
            rest %= place
            place /= 10
        }
    }

    /// A whole number has no fraction.
    /// - Precondition: it is finite; JSON has no form for others.
    static func append(
        description number: some BinaryFloatingPoint & CustomStringConvertible,
        to text: inout some JSONText
    ) {
        guard number.isFinite else { fatalError("JSON has no form for \(number)") }
        let description = number.description
        text.append(
            contentsOf: description.hasSuffix(".0")
                ? description.utf8.dropLast(2) : description.utf8[...])
    }

    /// The first eight bytes as a number, so that numbers compare as their strings do if they
    /// differ.
    static func head(of string: String) -> UInt64 {
        var head: UInt64 = 0
        var count = 0
        for byte in string.utf8.prefix(8) {
            head = head << 8 | UInt64(byte)
            count += 1
        }
        return count == 0 ? 0 : head << UInt64(8 * (8 - count))
    }
}
