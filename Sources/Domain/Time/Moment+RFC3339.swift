public import JSON

extension Moment {
    /// Parses RFC 3339 with a zone, for example `2022-12-18T15:00:00.25Z` or `…T18:00:00+03:00`.
    ///
    /// Digits beyond the microsecond are cut off. A leap second (`:60`) is read as the next second.
    /// - Returns: nil for anything else, a date without a zone included.
    public init?(rfc3339 text: some StringProtocol) {
        var text = String(text)
        guard let moment = text.withUTF8({ Moment(rfc3339Bytes: $0) }) else { return nil }
        self = moment
    }

    /// The same of what is yet to be recorded, by the letter: the date and the time of the day have
    /// a `T` between them, a second `60` comes where a leap second can be, before midnight in UTC
    /// at the end of June or of December, and there is no year 0. What was recorded before is read
    /// as it was.
    /// - Throws: what is wrong with it.
    public init(new text: some StringProtocol) throws(MomentError) {
        var text = String(text)
        guard let written = text.withUTF8({ Written($0) }) else { throw .form }
        guard written.hasLetter else { throw .separator }
        guard Self.newUnixSeconds.contains(written.unixSeconds) else { throw .year }
        if written.isLeapSecond, !Calendar.canFollowLeapSecond(written.unixSeconds) {
            throw .leapSecond
        }
        self.init(written)
    }

    init?(rfc3339Bytes text: UnsafeBufferPointer<UInt8>) {
        // A zone can lead out of the years that can be written.
        guard let written = Written(text),
            Self.writableUnixSeconds.contains(written.unixSeconds)
        else { return nil }
        self.init(written)
    }

    private init(_ written: Written) {
        self.init(microseconds: written.unixSeconds * 1_000_000 + Int64(written.microseconds))
    }

    /// RFC 3339 in UTC, with as many fraction digits as needed (none, 3 or 6).
    public var rfc3339: String {
        String(unsafeUninitializedCapacity: Self.rfc3339BytesMax) { write(to: $0) }
    }

    /// As a JSON string.
    fileprivate func appendJSON(to text: inout some JSONText) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.rfc3339BytesMax) { buffer in
            let count = write(to: buffer)
            text.append(UInt8(ascii: "\""))
            text.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
            text.append(UInt8(ascii: "\""))
        }
    }

    private static let rfc3339BytesMax = 27

    private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let seconds = unixSeconds
        let fraction = Int(microseconds - seconds * 1_000_000)
        let days = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
        let rest = Int(seconds) - days * 86_400
        let (year, month, day) = Calendar.date(daysSince1970: days)
        var writer = Writer(buffer: buffer)
        writer.write(year, digits: 4, then: "-")
        writer.write(month, digits: 2, then: "-")
        writer.write(day, digits: 2, then: "T")
        writer.write(rest / 3600, digits: 2, then: ":")
        writer.write(rest / 60 % 60, digits: 2, then: ":")
        writer.write(rest % 60, digits: 2, then: fraction == 0 ? "Z" : ".")
        if fraction != 0, fraction % 1000 == 0 {
            writer.write(fraction / 1000, digits: 3, then: "Z")
        } else if fraction != 0 {
            writer.write(fraction, digits: 6, then: "Z")
        }
        return writer.count
    }
}

extension Moment: CustomStringConvertible {
    public var description: String { rfc3339 }
}

extension Moment: CanonicalValue {
    public func write(to writer: inout CanonicalWriter) {
        writer.literal { appendJSON(to: &$0) }
    }
}

extension Moment: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let moment = Moment(rfc3339: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be \(Moment.expectation)")
        }
        self = moment
    }

    public func encode(to encoder: any Encoder) throws {
        // Half of what is stored of an activity, and its text need not be made.
        if let canonical = encoder as? CanonicalEncoder {
            canonical.encodeLiteral { appendJSON(to: &$0) }
        } else {
            var container = encoder.singleValueContainer()
            try container.encode(rfc3339)
        }
    }
}

/// A moment as it is written, in whatever years its zone leads to.
private struct Written {
    let unixSeconds: Int64
    let microseconds: Int
    /// A `T` between the date and the time of the day, and not a blank.
    let hasLetter: Bool
    let isLeapSecond: Bool

    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var scanner = Scanner(bytes: text)
        guard let year = scanner.number(digits: 4), scanner.take(UInt8(ascii: "-")),
            let month = scanner.number(digits: 2), (1...12).contains(month),
            scanner.take(UInt8(ascii: "-")), let day = scanner.number(digits: 2),
            (1...Calendar.days(in: month, of: year)).contains(day),
            let mark = scanner.takeAny(of: "Tt "),
            let hour = scanner.number(digits: 2), hour < 24,
            scanner.take(UInt8(ascii: ":")), let minute = scanner.number(digits: 2), minute < 60,
            scanner.take(UInt8(ascii: ":")), let second = scanner.number(digits: 2), second <= 60,
            let fraction = scanner.fraction(), let offset = scanner.zoneOffsetSeconds(),
            scanner.isAtEnd
        else { return nil }
        let days = Calendar.daysSince1970(year: year, month: month, day: day)
        unixSeconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        microseconds = fraction
        hasLetter = mark != UInt8(ascii: " ")
        isLeapSecond = second == 60
    }
}

private struct Writer {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    mutating func write(_ number: Int, digits: Int, then mark: Unicode.Scalar) {
        var rest = number
        for place in (count..<(count + digits)).reversed() {
            buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += digits
        write(mark)
    }

    mutating func write(_ mark: Unicode.Scalar) {
        buffer[count] = UInt8(ascii: mark)
        count += 1
    }
}

/// The proleptic Gregorian calendar in UTC, by Howard Hinnant's day-count formulas.
private enum Calendar {
    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Leap seconds come before the midnight that begins July or January in UTC.
    static func canFollowLeapSecond(_ unixSeconds: Int64) -> Bool {
        guard unixSeconds.isMultiple(of: 86_400) else { return false }
        let (_, month, day) = date(daysSince1970: Int(unixSeconds / 86_400))
        return day == 1 && (month == 1 || month == 7)
    }

    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
    }
}

private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// - Returns: which of them was there; nil for none.
    mutating func takeAny(of characters: StaticString) -> UInt8? {
        characters.withUTF8Buffer { options in
            for option in options where take(option) { return option }
            return nil
        }
    }

    private mutating func digit() -> Int? {
        guard index < bytes.count, (48...57).contains(bytes[index]) else { return nil }
        index += 1
        return Int(bytes[index - 1]) - 48
    }

    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Microseconds; 0 when there is no fraction, nil when a point has no digit after it.
    mutating func fraction() -> Int? {
        guard take(UInt8(ascii: ".")) else { return 0 }
        var microseconds = 0
        var digits = 0
        while let digit = digit() {
            if digits < 6 { microseconds = microseconds * 10 + digit }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in min(digits, 6)..<6 { microseconds *= 10 }
        return microseconds
    }

    mutating func zoneOffsetSeconds() -> Int? {
        if takeAny(of: "Zz") != nil { return 0 }
        guard let sign = takeAny(of: "+-"), let hours = number(digits: 2), hours < 24,
            take(UInt8(ascii: ":")), let minutes = number(digits: 2), minutes < 60
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}
