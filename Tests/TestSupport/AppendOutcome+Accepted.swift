public import EventStore

extension AppendOutcome {
    /// Whether the event stands in the log, now or from before.
    public var isAccepted: Bool {
        switch self {
        case .recorded, .alreadyKnown: true
        case .contentConflict, .twinConflict, .versionConflict, .notRecorded: false
        }
    }
}
