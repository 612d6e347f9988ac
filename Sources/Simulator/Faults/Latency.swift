import Foundation

/// How long answers take: a log-normal distribution, as the times of servers mostly have.
public struct Latency: Hashable, Sendable {
    /// Half of the answers take less.
    public var p50Seconds: Double
    /// One in a hundred takes longer.
    public var p99Seconds: Double

    /// 99 % of a normal distribution lie below so many standard deviations.
    private static let deviationsOfP99 = 2.326_347_874

    /// One more answer's time, `Limits.delaySecondsMax` at most.
    func sample(_ random: inout SeededGenerator) -> Double {
        guard p50Seconds > 0 else { return 0 }
        let sigma = log(p99Seconds / p50Seconds) / Self.deviationsOfP99
        // Box and Muller's way from two even numbers to a normal one.
        let radius = sqrt(-2 * log(Double.random(in: Double.ulpOfOne...1, using: &random)))
        let angle = Double.random(in: 0...(2 * .pi), using: &random)
        return min(p50Seconds * exp(sigma * radius * cos(angle)), Limits.delaySecondsMax)
    }
}
