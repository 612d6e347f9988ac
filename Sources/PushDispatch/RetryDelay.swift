/// How long to wait before what failed is tried again.
public enum RetryDelay {
    /// Doubled with each further failure.
    /// - Parameter attempts: failures before this one.
    public static func seconds(attempts: Int) -> Double {
        var delay = Limits.retrySecondsMin
        for _ in 0..<min(max(attempts, 0), 30) { delay *= 2 }
        return min(delay, Limits.retrySecondsMax)
    }
}
