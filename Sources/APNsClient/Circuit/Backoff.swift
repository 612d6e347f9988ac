/// How long to wait before the next attempt to connect: doubled with each failure, and spread, so
/// that many clients cut off at once do not return at once.
struct Backoff {
    private let delayMin: Duration
    private let delayMax: Duration
    private(set) var failures = 0

    init(_ timing: APNsTiming) {
        delayMin = timing.reconnectDelayMin
        delayMax = timing.reconnectDelayMax
    }

    /// None before the first failure; then between half and the whole of the doubled delay.
    /// - Parameter jitter: from 0 up to 1.
    func delay(jitter: Double) -> Duration {
        guard failures > 0 else { return .zero }
        var delay = delayMin
        for _ in 1..<failures where delay < delayMax { delay *= 2 }
        return min(delay, delayMax) * (0.5 + 0.5 * jitter)
    }

    mutating func failed() {
        failures += 1
    }

    mutating func succeeded() {
        failures = 0
    }
}
