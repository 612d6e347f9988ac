public import Foundation

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
