import API
import DatabaseAccess
public import EventStore
import Pipeline
public import Terminal

/// What is said of a log that is a copy, or was restored.
public enum LogStatusReport {
    static func check(_ status: LogStatus) -> HealthCheck {
        HealthCheck(name: "log") {
            guard let hold = status.hold else { return .healthy("epoch \(status.epoch)") }
            return .unhealthy("\(LogExplanation.why(hold)): see islet restore status")
        }
    }

    static func write(_ status: LogStatus, to log: Log) {
        guard let hold = status.hold else { return }
        log(
            .error, "nothing is folded, sent or answered: \(LogExplanation.why(hold))",
            ["what to do": LogExplanation.remedy])
    }

    /// - Throws: when something is ahead of the log.
    public static func refuse(_ inconsistencies: [LogInconsistency]) throws(CommandFailure) {
        guard !inconsistencies.isEmpty else { return }
        throw .failed(
            "what the database has is not of one moment: "
                + inconsistencies.map(LogExplanation.line).joined(separator: "; ")
                + ". Nothing was started: \(LogExplanation.remedy(of: inconsistencies))")
    }
}

extension IdentityWatch.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .store(let error):
            log.failed("looking at the log's identity failed", error)
        case .promoted: log(.info, "Postgres was promoted; the log is whole")
        case .setBack: log(.error, "the log was set back: it lacks what this node has acknowledged")
        // The node's health says it, once it lasts.
        case .unconfirmed: break
        }
    }

    /// On a node without work nothing else is committed: what a sign of life meets, an append would
    /// meet too. Where none is tried until it works again, it would never be forgotten.
    func note(in node: NodeHealth) {
        guard node.calls.contains(.append), case .unconfirmed(let error) = self else { return }
        node.store.noteProbe(.append, error)
    }
}
