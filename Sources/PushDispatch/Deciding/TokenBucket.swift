import Domain

/// Tokens that come back at a steady pace, up to a number. Counted in thousandths and microseconds,
/// so that equal inputs give equal bytes.
struct TokenBucket: Hashable, Codable, Sendable {
    struct Limits: Hashable {
        var tokens: Double
        var refillSeconds: Double

        fileprivate var full: Int64 { Int64(tokens * 1000) }
        fileprivate var microsecondsPerMilli: Double { refillSeconds * 1000 }
    }

    /// Nil while it is full and nothing was ever taken.
    private var millis: Int64?
    private var atMicroseconds: Int64?

    /// Thousandths of tokens that there are now. A clock that goes back brings none and takes none.
    private func level(at now: Moment, _ limits: Limits) -> Int64 {
        guard let millis, let atMicroseconds else { return limits.full }
        let passed = max(0, now.microseconds - atMicroseconds)
        let back = (Double(passed) / limits.microsecondsPerMilli).rounded(.down)
        return min(limits.full, millis + Int64(min(back, Double(limits.full))))
    }

    func tokens(at now: Moment, _ limits: Limits) -> Double {
        Double(level(at: now, limits)) / 1000
    }

    /// - Parameter reserve: tokens that must be left.
    /// - Returns: false, and nothing changes, when there are too few.
    mutating func take(at now: Moment, keeping reserve: Double, _ limits: Limits) -> Bool {
        let level = level(at: now, limits)
        guard level - 1000 >= Int64(reserve * 1000) else { return false }
        (millis, atMicroseconds) = (level - 1000, max(now.microseconds, atMicroseconds ?? .min))
        return true
    }

    /// When there will be a whole token if none is taken.
    func next(from now: Moment, _ limits: Limits) -> Moment {
        let missing = 1000 - level(at: now, limits)
        guard missing > 0 else { return now }
        // Whole microseconds, so that a thousandth more than needed is there by then.
        let wait = (Double(missing) * limits.microsecondsPerMilli).rounded(.up)
        return Moment(microseconds: now.microseconds + Int64(wait) + 1)
    }
}
