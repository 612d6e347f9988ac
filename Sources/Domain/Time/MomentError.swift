/// Why a text is no moment of what is yet to be recorded, a question or a wish.
public enum MomentError: Error, Hashable, Sendable, CaseIterable {
    /// Not RFC 3339, or a day or an hour that there is not.
    case form
    /// Something else than a `T` between the date and the time of the day.
    case separator
    /// A second 60 at a time that no leap second can have.
    case leapSecond
    /// Most calendars know no year 0, and none can be written after 9999.
    case year

    /// What to send, in words that complete "must be".
    public var expectation: String {
        Moment.expectation + (remedy.map { ", \($0)" } ?? "")
    }

    /// What to change; nil if nearly all would have to be.
    private var remedy: String? {
        switch self {
        case .form: nil
        case .separator: "with a `T` between the date and the time of the day"
        case .leapSecond: "with a second from 00 to 59, as no leap second can be then"
        case .year: "in the years 0001 to 9999"
        }
    }
}

extension Moment {
    /// In words that complete "must be" and "send".
    public static let expectation =
        "an RFC 3339 date and time with a zone, such as \"2026-05-01T12:00:00Z\""
}
