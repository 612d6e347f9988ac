/// How long to wait before the next attempt: doubled with each failure up to a maximum, and spread
/// where many would otherwise come back at once.
public struct Backoff: Sendable {
    private let delayMin: Duration
    private let delayMax: Duration
    public private(set) var failures = 0

    public init(from delayMin: Duration, to delayMax: Duration) {
        self.delayMin = delayMin
        self.delayMax = delayMax
    }

    /// None before the first failure; then between half and the whole of the doubled delay.
    /// - Parameter jitter: from 0 up to 1, for the whole.
    public func delay(jitter: Double = 1) -> Duration {
        guard failures > 0 else { return .zero }
        var delay = delayMin
        for _ in 1..<failures where delay < delayMax { delay *= 2 }
        return min(delay, delayMax) * (0.5 + 0.5 * jitter)
    }

    public mutating func failed() { failures += 1 }

    public mutating func succeeded() { failures = 0 }

    /// Counts a failure.
    /// - Returns: how long to wait now, to the full.
    public mutating func next() -> Duration {
        failed()
        return delay()
    }
}
