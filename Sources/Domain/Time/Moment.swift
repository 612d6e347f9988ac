public import Foundation

/// A point in time with microsecond precision, as Postgres keeps it.
///
/// An integer, so that folding the same log twice gives equal bytes. On the wire of the event log
/// it is an RFC 3339 string with a zone; it never appears in a `ContentState`, where the phone's
/// stock decoder expects a `Date`.
///
/// Always within the years 0000 to 9999, beyond which it could not be written down: whatever number
/// it is made of, the nearest moment in them is meant. So no sum or difference of two overflows.
public struct Moment: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    /// - Parameter microseconds: cut to the years 0000 to 9999, like all numbers here.
    public init(microseconds: Int64) {
        let range = Self.writableMicroseconds
        self.microseconds = min(max(microseconds, range.lowerBound), range.upperBound)
    }

    /// - Parameter unixSeconds: whole seconds since 1970, as `aps.timestamp` counts them.
    public init(unixSeconds: Int64) {
        let range = Self.writableUnixSeconds
        self.microseconds = min(max(unixSeconds, range.lowerBound), range.upperBound) * 1_000_000
    }

    /// The years 0000 to 9999 in UTC.
    static let writableUnixSeconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799
    /// The years 0001 to 9999, which what is yet to be recorded may have.
    static let newUnixSeconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// The years 0000 to 9999 in microseconds.
    public static let writableMicroseconds: ClosedRange<Int64> =
        -62_167_219_200_000_000...253_402_300_799_999_999

    /// Whole seconds since 1970, rounded down.
    public var unixSeconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : -((-microseconds + 999_999) / 1_000_000)
    }

    /// The same point as Foundation's `Date`, for use inside a `ContentState`.
    public var date: Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    public static func < (left: Moment, right: Moment) -> Bool {
        left.microseconds < right.microseconds
    }

    /// An event may say that something happens in the last second of 9999, and folding it must not
    /// fail.
    /// - Parameter seconds: may be negative or fractional; rounded to the microsecond. What is not
    ///   a number adds nothing.
    public func adding(seconds: Double) -> Moment {
        guard !seconds.isNaN else { return self }
        // More than all the years there are, and far from what an integer can be.
        let cut = min(max(seconds, -1e12), 1e12)
        return Moment(microseconds: microseconds + Int64((cut * 1_000_000).rounded()))
    }

    /// A later moment, or an earlier one for a negative number.
    public func adding(microseconds: Int64) -> Moment {
        let (sum, isBeyond) = self.microseconds.addingReportingOverflow(microseconds)
        return Moment(microseconds: isBeyond ? (microseconds < 0 ? .min : .max) : sum)
    }

    /// Seconds from `earlier` to this moment; negative when `earlier` is later.
    public func seconds(since earlier: Moment) -> Double {
        Double(microseconds - earlier.microseconds) / 1_000_000
    }
}

extension Moment {
    /// A length of time in words, in the unit that a person would name: `3 minutes`.
    public static func words(forSeconds seconds: Double) -> String {
        switch seconds {
        case ..<2: "1 second"
        case ..<120: "\(Int(seconds)) seconds"
        case ..<7200: "\(Int(seconds / 60)) minutes"
        default: "\(Int(seconds / 3600)) hours"
        }
    }
}

extension Moment {
    /// The nearest moment to a phone's date; one beyond the years 0000 to 9999 is cut to them.
    public init(_ date: Date) {
        self = Moment(unixSeconds: 0).adding(seconds: date.timeIntervalSince1970)
    }

    /// For a `ContentState`: cut to the second, because a phone shows no more and a push has only
    /// so many bytes.
    public var dateToTheSecond: Date {
        Date(timeIntervalSince1970: Double(unixSeconds))
    }
}
