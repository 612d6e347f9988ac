public import APNs

/// What became of one push that was handed to the client.
public enum PushResult: Hashable, Sendable {
    /// APNs answered, well or badly.
    case answered(PushResponse)
    /// No answer came. `mayHaveBeenDelivered` is false only when APNs cannot have seen the push.
    case notAnswered(reason: String, mayHaveBeenDelivered: Bool)
}
