/// How much work a node lets gather before it tells callers to come back later.
public struct AppendLimits: Sendable {
    /// Events that wait for a commit.
    public var queuedEventsMax: Int
    /// Longest wait for one's turn. The commit itself has a time of its own.
    public var queueWaitSeconds: Double
    /// Longest wait for a commit, synchronous standbys included; then the statement is cancelled.
    /// As long as any other call: the client gets the advice to repeat it while it still listens.
    public var commitSeconds: Double = 8

    /// 20,000 events are some half a second of work; a caller beyond them is better told to come
    /// back than kept waiting. Most HTTP clients give up after 10 to 30 seconds.
    public static let standard = AppendLimits(queuedEventsMax: 20_000, queueWaitSeconds: 8)
}
