/// How many frames a peer may still send that cost it nothing and this side something. Fills up
/// again with time.
struct FrameBudget {
    private let most: Double
    private let perSecond: Double
    private var left: Double
    private var countedAtMillis: UInt64

    init(most: Double, perSecond: Double, nowMillis: UInt64) {
        self.most = most
        self.perSecond = perSecond
        left = most
        countedAtMillis = nowMillis
    }

    /// - Returns: false when the peer sends too many.
    mutating func take(nowMillis: UInt64) -> Bool {
        let elapsed = Double(nowMillis - min(nowMillis, countedAtMillis)) / 1_000
        countedAtMillis = nowMillis
        left = min(most, left + elapsed * perSecond) - 1
        return left >= 0
    }
}
