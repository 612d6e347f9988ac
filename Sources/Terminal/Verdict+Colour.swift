public import Domain

extension Verdict {
    /// In which it stands on a terminal.
    public var colour: Paint.Colour {
        switch self {
        case .alert: .red
        case .timely: .yellow
        case .quiet: .cyan
        case .hold: .dim
        case .end: .green
        }
    }
}
