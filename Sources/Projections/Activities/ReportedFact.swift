public import Domain

/// A fact as its newest report has it, and when it was reported first: what is sent again, or put
/// right, happened no later for that.
public struct ReportedFact<Fact: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// As the newest report has it.
    public private(set) var value: Fact
    /// When it happened by that report, as it is believed.
    public private(set) var at: Moment
    /// By the earliest report; nil where that is the same.
    private var earliest: Moment?

    public init(_ value: Fact, at moment: Moment) {
        self.value = value
        at = moment
    }

    /// When it happened by the earliest report.
    public var firstAt: Moment { earliest ?? at }

    /// Takes in a report; the newer one stands, as in `Latest`.
    mutating func offer(_ other: Fact, at moment: Moment) {
        let first = min(firstAt, moment)
        var newest = Latest(value, at: at)
        newest.offer(other, at: moment)
        (value, at) = (newest.value, newest.at)
        earliest = first == at ? nil : first
    }
}
