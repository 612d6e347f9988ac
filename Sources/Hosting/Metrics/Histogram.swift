/// How often values fell below each of some bounds. What notes them has the lock.
struct Histogram: Sendable {
    /// From what a fast chain takes to what nobody waits for any more.
    static let latencySeconds: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]

    /// In ascending order.
    let bounds: [Double]
    /// How many values were up to each bound and above the one before; the last has the rest.
    private(set) var counts: [UInt64]
    private(set) var sum: Double = 0

    init(_ bounds: [Double] = Self.latencySeconds) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// - Parameter times: how often the value was seen.
    mutating func note(_ value: Double, times: Int = 1) {
        guard times > 0 else { return }
        // Two clocks that differ by a little give a little less than nothing.
        let value = max(0, value)
        // Most values are small, and a few comparisons cost less than a search.
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += UInt64(times)
        sum += value * Double(times)
    }
}
