public import Domain

extension Verdict {
    /// For people; `rawValue` is for programs.
    public var words: String {
        switch self {
        case .alert: "alert"
        case .timely: "silent, immediate"
        case .quiet: "silent, low priority"
        case .hold: "not sent"
        case .end: "end"
        }
    }
}

extension Significance {
    /// What a change is worth by itself, for people.
    public var words: String {
        switch self {
        case .alert: "an alert"
        case .timely: "a silent, immediate update"
        case .ambient: "a silent update at low priority"
        case .none: "no push"
        }
    }
}
