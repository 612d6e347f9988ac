public import APNs

/// What came back for a start that was sent.
public enum StartAnswer: Hashable, Sendable {
    case answered(PushResponse)
    /// - `mayHaveBeenDelivered`: the request may have reached APNs.
    case notAnswered(reason: String, mayHaveBeenDelivered: Bool)
    /// It never left: the server stops.
    case notSent
}
