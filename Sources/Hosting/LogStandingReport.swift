import API
import DatabaseAccess
public import EventStore
import Pipeline
public import Terminal

/// What is said of a log that is a copy, or was restored.
public enum LogStandingReport {
    static func check(_ standing: LogStanding) -> HealthCheck {
        HealthCheck(name: "log") {
            guard let hold = standing.hold else { return .healthy("epoch \(standing.epoch)") }
            return .unhealthy("\(why(hold)): see islet restore status")
        }
    }

    static func write(_ notice: IdentityWatch.Notice, to log: Log) {
        switch notice {
        case .store(let error):
            log(
                .error, "looking at the log's identity failed",
                ["why": Database.explanation(of: error)])
        case .promoted: log(.info, "Postgres was promoted; the log is whole")
        case .setBack: log(.error, "the log was set back: it lacks what this node has acknowledged")
        }
    }

    static func write(_ standing: LogStanding, to log: Log) {
        guard let hold = standing.hold else { return }
        log(
            .error, "nothing is folded, sent or answered: \(why(hold))", ["what to do": remedy])
    }

    public static func why(_ hold: LogHold) -> String {
        switch hold {
        case .asked: "an operator asked for that with `islet restore hold`"
        case .setBack: "the log was set back: a node has acknowledged more than there is"
        case .copied:
            "this database is a copy: it was restored from a dump, moved or upgraded"
        case .timeline:
            "Postgres goes by another timeline, as after a restore to a point in time, and no node "
                + "has seen the promotion"
        }
    }

    public static let remedy =
        "if this is the log from now on, and nothing sends from another copy: `islet restore "
        + "accept`, with --complete if nothing is missing"

    public static func line(_ fault: LogFault) -> String {
        switch fault {
        case .head(let tenant, let position, let last):
            "the log of \(tenant) is said to end at \(position) and ends at \(last)"
        case .checkpoint(let tenant, let position, let head):
            "the checkpoint of \(tenant) is \(position), and its log ends at \(head)"
        case .webhook(let tenant, let position, let head):
            "a webhook of \(tenant) got changes up to \(position), and its log ends at \(head)"
        case .timestamp(let tenant, let seconds):
            "phones of \(tenant) were sent the timestamp \(seconds), which is in the future"
        case .clock(let seconds):
            "the database's clock is \(seconds) s behind what the database has written down"
        }
    }

    /// - Throws: when something is ahead of the log.
    public static func refuse(_ faults: [LogFault]) throws(CommandFailure) {
        guard !faults.isEmpty else { return }
        let isClock = faults.allSatisfy { fault in
            switch fault {
            case .timestamp, .clock: true
            case .head, .checkpoint, .webhook: false
            }
        }
        let remedy =
            isClock
            ? "set the clock of the database's machine right, or wait until it has come that far"
            : "restore all of the database from one and the same backup"
        throw .failed(
            "what the database holds is not of one moment: "
                + faults.map(line).joined(separator: "; ") + ". Nothing was started: \(remedy)")
    }
}
