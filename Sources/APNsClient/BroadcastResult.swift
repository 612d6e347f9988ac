public import APNs

/// What became of a request about channels.
public enum BroadcastResult: Hashable, Sendable {
    case answered(BroadcastResponse)
    /// - `reason`: for people; names hosts and codes.
    /// - `mayHaveBeenDone`: the request may have reached APNs. A broadcast may be repeated; a
    ///   channel that was made so is nobody's.
    case notAnswered(reason: String, mayHaveBeenDone: Bool)
    /// It never left: nothing is sent for its app just now.
    case deferred(reason: String)
}
