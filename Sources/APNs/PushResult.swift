/// The result of one request.
public enum PushResult: Hashable, Sendable {
    case answered(PushResponse)
    /// - `reason`: for people; names hosts and codes, never tokens.
    /// - `mayHaveBeenDelivered`: the request may have reached APNs, so that sending it again could
    ///   show it twice; harmless for an update, an end or a broadcast, not for a start. A channel
    ///   that was made so is nobody's.
    case notAnswered(reason: String, mayHaveBeenDelivered: Bool)
    /// It never left, or APNs refused the key: nothing is sent for its app just now.
    /// - `seconds`: when to look again.
    case deferred(reason: String, seconds: Double)

    /// What the answer means; nil without one.
    public var verdict: DeliveryVerdict? {
        if case .answered(let response) = self { response.verdict } else { nil }
    }

    /// Why it was not done, for people.
    public var failure: String {
        switch self {
        case .answered(let response): response.failure
        case .notAnswered(let reason, _), .deferred(let reason, _): reason
        }
    }
}
