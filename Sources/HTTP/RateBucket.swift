/// An allowance that refills steadily up to a burst. Pure, and exact: tokens are counted in
/// millionths, so that a rate per second times microseconds needs no rounding.
public struct RateBucket: Hashable, Sendable {
    public struct Rate: Hashable, Sendable {
        public let perSecond: Int
        public let burst: Int

        /// What is more than anybody can use counts as `most`.
        /// - Precondition: both are positive.
        public init(perSecond: Int, burst: Int) {
            precondition(perSecond > 0 && burst > 0, "\(perSecond) a second, burst \(burst)")
            self.perSecond = min(perSecond, Self.most)
            self.burst = min(burst, Self.most)
        }

        /// So that millionths of it can be counted.
        public static let most = 1_000_000_000_000

        fileprivate var capacity: Int64 { Int64(burst) * Self.millionths }

        fileprivate static let millionths: Int64 = 1_000_000
    }

    /// Millionths of a token; below zero after a cost beyond the burst.
    private var level: Int64
    private var refilledAt: Int64

    /// - Parameter now: in microseconds by any clock, which is the same for all calls.
    public init(full rate: Rate, at now: Int64) {
        level = rate.capacity
        refilledAt = now
    }

    /// Takes `cost` tokens, or none. A cost beyond the burst is let through when the bucket is full
    /// and paid back afterwards, so that nothing is refused for ever.
    /// A cost of nothing asks whether there is one token.
    /// - Returns: nil when taken; else microseconds after which the same cost will be.
    public mutating func take(_ cost: Int, _ rate: Rate, at now: Int64) -> Int64? {
        refill(rate, at: now)
        let missing = Int64(min(max(cost, 1), rate.burst)) * Rate.millionths - level
        guard missing <= 0 else { return Self.quotient(missing, by: rate.perSecond) }
        level -= Int64(cost) * Rate.millionths
        return nil
    }

    /// Takes `cost` tokens for what was done already, also where there are fewer: down to a burst
    /// below nothing, so that one call shuts nobody out for long.
    public mutating func charge(_ cost: Int, _ rate: Rate, at now: Int64) {
        refill(rate, at: now)
        level = max(level - Int64(cost) * Rate.millionths, min(level, -rate.capacity))
    }

    /// The same without that bound, for a cost that has one of its own: all of it is paid back.
    public mutating func chargeInFull(_ cost: Int, _ rate: Rate, at now: Int64) {
        refill(rate, at: now)
        level -= Int64(cost) * Rate.millionths
    }

    /// As if it had never been used.
    public func isFull(_ rate: Rate, at now: Int64) -> Bool {
        level(rate, at: now) == rate.capacity
    }

    /// Millionths of a token there are after refilling.
    public func level(_ rate: Rate, at now: Int64) -> Int64 {
        var refilled = self
        refilled.refill(rate, at: now)
        return refilled.level
    }

    /// A clock that was set back gives nothing and counts from where it is.
    private mutating func refill(_ rate: Rate, at now: Int64) {
        let elapsed = max(0, now - refilledAt)
        refilledAt = now
        let room = rate.capacity - level
        // Compared before multiplying: a long silence would overflow.
        level =
            room <= 0 || elapsed >= Self.quotient(room, by: rate.perSecond)
            ? rate.capacity : level + elapsed * Int64(rate.perSecond)
    }

    private static func quotient(_ tokens: Int64, by perSecond: Int) -> Int64 {
        (tokens + Int64(perSecond) - 1) / Int64(perSecond)
    }
}
