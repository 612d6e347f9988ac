/// Which errors were logged lately. Pure.
struct LogRepeats {
    private struct Entry {
        var loggedAt: ContinuousClock.Instant
        /// Times since then.
        var repeats = 0
    }

    private var entries: [String: Entry] = [:]

    private static let restSeconds: Double = 10
    /// Different errors that are remembered; if there are more, each is logged.
    private static let errorsMax = 100

    /// - Returns: nil when it was logged a moment ago; else how often it happened since then.
    mutating func note(_ error: String, at now: ContinuousClock.Instant) -> Int? {
        if let entry = entries[error], now - entry.loggedAt < .seconds(Self.restSeconds) {
            entries[error]?.repeats += 1
            return nil
        }
        let repeats = entries[error]?.repeats ?? 0
        if entries[error] == nil, entries.count >= Self.errorsMax {
            entries = entries.filter { now - $0.value.loggedAt < .seconds(Self.restSeconds) }
            guard entries.count < Self.errorsMax else { return 0 }
        }
        entries[error] = Entry(loggedAt: now)
        return repeats
    }
}
