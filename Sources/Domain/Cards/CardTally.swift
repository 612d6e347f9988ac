/// How many of an activity's cards were not served any more at some time, and why: of the first
/// `Limits.countedMax`, if there are more.
public struct CardTally: Hashable, Sendable {
    /// Closed, by what closed them.
    public var closed: [Closing: Int]
    /// Their push token is dead, as APNs says.
    public var dead: Int
    /// APNs does not know their push token in the environment they named, or not as their app's.
    public var unfit: Int

    /// Only so many were counted.
    public var isPartial: Bool {
        closed.values.reduce(dead + unfit, +) >= Limits.countedMax
    }

    public init(closed: [Closing: Int] = [:], dead: Int = 0, unfit: Int = 0) {
        self.closed = closed
        self.dead = dead
        self.unfit = unfit
    }
}
