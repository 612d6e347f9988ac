import EventStore
public import PostgresStore

/// What all checks come to: the exit code.
public enum DoctorVerdict: String, Sendable {
    case fine
    case needsAHand = "needs a hand"
    /// No check found anything, and some could not look.
    case notSeen = "could not look"

    public init(_ reports: [Doctor.Report]) {
        var verdict = DoctorVerdict.fine
        for report in reports {
            switch report.outcome {
            case .fine: break
            case .findings: verdict = .needsAHand
            case .unseen: if verdict == .fine { verdict = .notSeen }
            }
        }
        self = verdict
    }
}
