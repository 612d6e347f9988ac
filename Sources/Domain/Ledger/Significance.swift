/// How much one change matters, before budgets and history are considered; least first.
public enum Significance: String, Codable, CaseIterable, Sendable {
    /// Nothing worth a push, even though the content may differ.
    case none
    /// Show it when convenient.
    case ambient
    /// Show it at once, without an alert.
    case timely
    /// The person should be interrupted.
    case alert

    /// What becomes of such a change when nothing else speaks against it.
    public var verdict: Verdict {
        switch self {
        case .none: .hold
        case .ambient: .quiet
        case .timely: .timely
        case .alert: .alert
        }
    }
}
