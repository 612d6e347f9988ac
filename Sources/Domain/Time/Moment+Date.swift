public import Foundation

extension Moment {
    /// The nearest moment to a phone's date; dates beyond the range of years 1 to 9999 are cut.
    public init(_ date: Date) {
        let seconds = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        self.init(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    /// For a `ContentState`: cut to the second, because a phone shows no more and a push has only
    /// so many bytes.
    public var dateToTheSecond: Date {
        Date(timeIntervalSince1970: Double(unixSeconds))
    }
}
