/// How many of an activity's cards were not served any more at some time, and why.
public struct CardTally: Hashable, Sendable {
    /// Closed, by what closed them.
    public var closed: [Closing: Int]
    /// Their push token is dead, as APNs says.
    public var dead: Int

    public init(closed: [Closing: Int] = [:], dead: Int = 0) {
        self.closed = closed
        self.dead = dead
    }
}
