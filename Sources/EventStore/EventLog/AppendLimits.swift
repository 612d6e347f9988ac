/// How much work a node lets gather before it tells callers to come back later.
public struct AppendLimits: Sendable {
    /// Events that wait for a commit.
    public var queuedEventsMax: Int
    /// Longest wait for one's turn. Less than `answerSeconds`: what is left is for the commit,
    /// which may take long just when many wait.
    public var queueWaitSeconds: Double
    /// After so long from a request's arrival the commit of its events is cancelled, synchronous
    /// standbys included. As long as any other call: the client gets the advice to repeat it while
    /// it still listens.
    public var answerSeconds: Double = 8

    /// 20,000 events are some half a second of work; a caller beyond them had better come back
    /// than be kept waiting. Most HTTP clients give up after 10 to 30 seconds.
    public static let standard = AppendLimits(queuedEventsMax: 20_000, queueWaitSeconds: 6)
}
