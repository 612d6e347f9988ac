public import Foundation

extension Moment {
    /// The nearest moment to a phone's date; one beyond the years 0000 to 9999 is cut to them.
    public init(_ date: Date) {
        let range = Self.writableUnixSeconds
        let seconds = min(
            max(date.timeIntervalSince1970, Double(range.lowerBound)), Double(range.upperBound))
        self.init(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    /// For a `ContentState`: cut to the second, because a phone shows no more and a push has only
    /// so many bytes.
    public var dateToTheSecond: Date {
        Date(timeIntervalSince1970: Double(unixSeconds))
    }
}
