/// How soon a client gets its refusal. Honest clients are refused now and then and are answered at
/// once; one that asks again and again without waiting is answered later, so that its connections
/// cost the loop a few answers a second each.
struct RefusalPace {
    private var secondBeganAt: UInt64 = 0
    /// Of the current second. Bounded by how many connections a second can bring.
    private var refusals: [ClientAddress: Int] = [:]

    /// Counts one refusal.
    /// - Returns: milliseconds until it is to be answered.
    mutating func delayMillis(for address: ClientAddress, nowMillis: UInt64) -> Int {
        if nowMillis >= secondBeganAt + 1_000 {
            secondBeganAt = nowMillis
            refusals.removeAll(keepingCapacity: refusals.count < Limits.promptRefusalsPerSecond)
        }
        refusals[address, default: 0] += 1
        return refusals[address, default: 0] > Limits.promptRefusalsPerSecond
            ? Limits.refusalDelayMillis : 0
    }

    /// Whether an answer says no because of who asks, or how much, rather than what is asked.
    static func isRefusal(status: Int) -> Bool {
        switch status {
        case 401, 403, 413, 429: true
        default: false
        }
    }
}
