/// How much one change matters, before budgets and history are considered; least first.
public enum Significance: String, Codable, CaseIterable, Comparable, Sendable {
    /// Nothing worth a push, even though the content may differ.
    case none
    /// Show it when convenient.
    case ambient
    /// Show it at once, without a word.
    case timely
    /// The person should be interrupted.
    case alert

    public static func < (left: Significance, right: Significance) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .none: 0
        case .ambient: 1
        case .timely: 2
        case .alert: 3
        }
    }

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
