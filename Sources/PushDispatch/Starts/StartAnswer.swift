public import APNs

/// What came back for a start that was sent.
public enum StartAnswer: Hashable, Sendable {
    case answered(PushResponse)
    /// - `mayHaveBeenDelivered`: the request may have reached APNs.
    case notAnswered(reason: String, mayHaveBeenDelivered: Bool)
    /// It was surely not started: the server stops, or nothing is sent for its app.
    case notSent
}
