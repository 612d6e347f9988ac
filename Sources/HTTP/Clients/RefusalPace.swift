/// How soon a client gets its refusal. Honest clients are refused now and then and are answered at
/// once; one that asks again and again without waiting gets so many answers a second while few of
/// them wait, and each after two seconds when more do, so that it costs the loop little.
struct RefusalPace {
    /// What addresses that were refused lately have left. A few seconds' connections bound it.
    private var left: [ClientAddress: RateBucket] = [:]
    private var sweptAtMillis: UInt64 = 0

    /// Counts one refusal.
    /// - Returns: milliseconds until it is to be answered.
    mutating func delayMillis(for address: ClientAddress, nowMillis: UInt64) -> Int {
        let rate = Limits.refusals
        let now = Int64(nowMillis) * 1_000
        if nowMillis >= sweptAtMillis + 1_000 {
            sweptAtMillis = nowMillis
            left = left.filter { !$0.value.isFull(rate, at: now) }
        }
        var bucket = left[address] ?? RateBucket(full: rate, at: now)
        bucket.charge(1, rate, at: now)
        left[address] = bucket
        // In millionths of a refusal, which are microseconds for one a second.
        let level = bucket.level(rate, at: now)
        return level < 0 ? Int(-level) / (rate.perSecond * 1_000) : 0
    }

    /// Whether an answer says no because of who asks, or how much, rather than what is asked.
    static func isRefusal(status: Int) -> Bool {
        switch status {
        case 401, 403, 413, 429: true
        default: false
        }
    }
}
