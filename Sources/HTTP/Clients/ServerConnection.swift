/// One client's connection as its server sees it, whatever is spoken on it. Loop-bound.
protocol ServerConnection: AnyObject {
    var id: UInt64 { get }
    /// The account of the client's address, or of the proxy's.
    var account: BodyAccounts.Account { get }
    /// That account alone, as a list of owners.
    var own: [BodyAccounts.Account] { get }
    /// The other side is a proxy to be trusted, which speaks for many.
    var isOfProxy: Bool { get }
    /// Takes a place for nothing: can be given up for somebody else.
    var isSpare: Bool { get }
    /// Since when the client owes what it owes.
    var waitingSinceMillis: UInt64 { get }
    /// The connection with the lowest is given up first.
    func spareRank(nowMillis: UInt64) -> Int
    /// Called every `Limits.sweepMillis`.
    /// - Parameter patience: what share of the waits that take a place for nothing is granted.
    func checkDeadlines(nowMillis: UInt64, patience: Double)
    /// The server stops: called at once, so that the client learns of it with its next answer.
    func announceEnd()
    /// The server is going away: requests begun are still answered.
    func drain()
    /// Readers that are still being answered need not wait for news any longer.
    func endWait()
    /// Closes at once.
    func cut()
}
