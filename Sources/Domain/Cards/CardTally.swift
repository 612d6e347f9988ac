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

/// Phones of an activity whose last push failed, by the version that they were told last: of those
/// that are furthest behind, if there are more than `Limits.countedMax`.
public struct PhonesBehind: Hashable, Sendable {
    /// By version.
    public var counts: [Int64: Int]

    public init(_ counts: [Int64: Int] = [:]) {
        self.counts = counts
    }

    /// How many have not been told of a version or a later one.
    /// - Returns: nil when there are too many to know.
    public func count(before version: Int64) -> Int? {
        let count = counts.reduce(0) { $1.key < version ? $0 + $1.value : $0 }
        return count < Limits.countedMax ? count : nil
    }
}
