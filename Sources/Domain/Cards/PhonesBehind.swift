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
