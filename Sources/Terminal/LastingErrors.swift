/// Since when errors last that mostly pass by themselves, such as a connection that has ended. The
/// one place that says when such an error needs somebody's hand. Pure.
struct LastingErrors {
    private struct Entry {
        var since: ContinuousClock.Instant
        var lastAt: ContinuousClock.Instant
    }

    /// By their messages, of which the program has a few.
    private var entries: [String: Entry] = [:]

    /// A database that is replaced, or a node that wakes up, takes less.
    private static let errorAfterSeconds: Double = 30

    /// - Parameter seconds: it has passed when it has not come for so long.
    mutating func level(
        of error: String, at now: ContinuousClock.Instant, passedAfter seconds: Double
    ) -> Log.Level {
        var since = now
        if let known = entries[error], now - known.lastAt < .seconds(seconds) {
            since = known.since
        }
        entries[error] = Entry(since: since, lastAt: now)
        return now - since < .seconds(Self.errorAfterSeconds) ? .warning : .error
    }
}
