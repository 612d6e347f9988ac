/// The result of one push.
public enum PushResult: Hashable, Sendable {
    case answered(PushResponse)
    /// - `reason`: for people; names hosts and codes, never tokens.
    /// - `mayHaveBeenDelivered`: the request may have reached APNs, so that sending it again could
    ///   show it twice; harmless for an update or end, not for a start.
    case notAnswered(reason: String, mayHaveBeenDelivered: Bool)
    /// It never left, or APNs refused the key: nothing is sent for its app just now.
    /// - `seconds`: when to look again.
    case deferred(reason: String, seconds: Double)
}

/// The result of a request about channels.
public enum BroadcastResult: Hashable, Sendable {
    case answered(BroadcastResponse)
    /// - `reason`: for people; names hosts and codes.
    /// - `mayHaveBeenDone`: the request may have reached APNs. A broadcast may be repeated; a
    ///   channel that was made so is nobody's.
    case notAnswered(reason: String, mayHaveBeenDone: Bool)
    /// It never left: nothing is sent for its app just now.
    case deferred(reason: String)
}
