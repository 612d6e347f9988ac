public import Domain
public import EventStore

/// Tells from what is due, look by look, whether somebody brings it about. Pure.
public struct ClockMonitor: Sendable {
    public enum Diagnostic: Hashable, Sendable {
        /// Said once for as long as it lasts.
        case stalled(DueActivity.Place)
        case movesAgain
    }

    private let secondsMax: Double
    /// What has been due for the longest, and since when it is the first.
    private var first: (place: DueActivity.Place, since: Moment)?
    /// What has been the first for too long.
    public private(set) var stalled: DueActivity.Place?

    /// - Parameter secondsMax: how long the same may be the first that is due. With much to do it
    ///   is another one each time.
    public init(secondsMax: Double) { self.secondsMax = secondsMax }

    /// Takes in what is due first, if anything is.
    public mutating func observe(_ place: DueActivity.Place?, at moment: Moment) -> Diagnostic? {
        if place != first?.place { first = place.map { ($0, moment) } }
        guard let first, moment.seconds(since: first.since) > secondsMax else {
            defer { stalled = nil }
            return stalled == nil ? nil : .movesAgain
        }
        defer { stalled = first.place }
        return stalled == nil ? .stalled(first.place) : nil
    }
}
