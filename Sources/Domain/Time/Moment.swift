public import Foundation

/// A point in time with microsecond precision, as Postgres keeps it.
///
/// An integer, so that folding the same log twice gives equal bytes. On the wire of the event log
/// it is an RFC 3339 string with a zone; it never appears in a `ContentState`, where the phone's
/// stock decoder expects a `Date`.
public struct Moment: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// - Parameter unixSeconds: whole seconds since 1970, as `aps.timestamp` counts them.
    public init(unixSeconds: Int64) {
        self.microseconds = unixSeconds * 1_000_000
    }

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

    /// Cut to the years 0000 to 9999, beyond which a moment cannot be written down: an event may
    /// say that something happens in the last second of 9999, and folding it must not fail.
    /// - Parameter seconds: may be negative or fractional; rounded to the microsecond.
    public func adding(seconds: Double) -> Moment {
        let range = Self.writableUnixSeconds
        let sum = microseconds + Int64((seconds * 1_000_000).rounded())
        return Moment(
            microseconds: min(
                max(sum, range.lowerBound * 1_000_000), range.upperBound * 1_000_000 + 999_999))
    }

    /// Seconds from `earlier` to this moment; negative when `earlier` is later.
    public func seconds(since earlier: Moment) -> Double {
        Double(microseconds - earlier.microseconds) / 1_000_000
    }
}
