/// Which faults were logged lately. Pure.
struct LogRepeats {
    private struct Entry {
        var loggedAt: ContinuousClock.Instant
        /// Times since then.
        var repeats = 0
    }

    private var entries: [String: Entry] = [:]

    private static let restSeconds: Double = 10
    /// Different faults that are remembered; if there are more, each is logged.
    private static let faultsMax = 100

    /// - Returns: nil when it was logged a moment ago; else how often it happened since then.
    mutating func note(_ fault: String, at now: ContinuousClock.Instant) -> Int? {
        if let entry = entries[fault], now - entry.loggedAt < .seconds(Self.restSeconds) {
            entries[fault]?.repeats += 1
            return nil
        }
        let repeats = entries[fault]?.repeats ?? 0
        if entries[fault] == nil, entries.count >= Self.faultsMax {
            entries = entries.filter { now - $0.value.loggedAt < .seconds(Self.restSeconds) }
            guard entries.count < Self.faultsMax else { return 0 }
        }
        entries[fault] = Entry(loggedAt: now)
        return repeats
    }
}
