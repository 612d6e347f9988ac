/// How long to wait before what failed is tried again.
public enum RetryDelay {
    /// Doubled with each further failure.
    /// - Parameter attempts: failures before this one.
    public static func seconds(attempts: Int) -> Double {
        seconds(attempts: attempts, from: Limits.retrySecondsMin, upTo: Limits.retrySecondsMax)
    }

    static func seconds(attempts: Int, from first: Double, upTo last: Double) -> Double {
        var delay = first
        for _ in 0..<min(max(attempts, 0), 30) { delay *= 2 }
        return min(delay, last)
    }
}
