import DatabaseAccess
import Delivery
import EventStore
import Pipeline
import Terminal

extension Log {
    /// Something that goes on by itself once the database answers again.
    /// - Parameter passedAfterSeconds: see `passing`.
    func stopped(
        _ what: String, _ error: EventStoreError,
        passedAfterSeconds: Double = Log.passedAfterSeconds
    ) {
        failed("\(what) stopped for now", error, passedAfterSeconds: passedAfterSeconds)
    }
}

extension Rebuilder.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .began(let progress):
            log(
                .info, "rebuilding snapshots",
                ["tenant": progress.tenant.name, "why": progress.reason])
        case .ended(let progress, let end):
            log(
                .info, "rebuilding snapshots has ended",
                ["tenant": progress.tenant.name, "outcome": "\(end)"])
        case .failed(let error):
            log.stopped("rebuilding", error)
        }
    }
}

extension Sender.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .store(let error): log.stopped("sending", error)
        // Each fan-out finds out for itself, and there may be thousands.
        case .credentialsRefused(let reason):
            log.rarely(
                .error,
                "APNs refuses a key: islet apps list names the app and the remedy; apps without a "
                    + "key go with --apns-key-file, --apns-key-id and --apns-team-id",
                ["reason": reason], key: reason)
        case .tokensUnfit(let count, let reason):
            log.rarely(
                .warning, "APNs says push tokens do not fit: check environment and bundle id",
                ["count": "\(count)", "reason": reason], key: reason)
        case .unanswered(let count, let reason):
            log.rarely(
                .warning, "no answer from APNs", ["count": "\(count)", "reason": reason],
                key: reason)
        case .notTaken(let count, let reason):
            // One error, of which APNs names now this reason and now that.
            log.rarely(
                .warning, "APNs did not take pushes: they are tried again",
                ["count": "\(count)", "reason": reason], key: "")
        case .stateTooLarge(let bytes, let phones):
            log.rarely(
                .warning, "a state is too large for a push: its phones keep the one before",
                ["bytes": "\(bytes)", "phones": "\(phones)"], key: "")
        case .tookOver(let count, let node):
            log(
                .warning, "took over what another node had claimed and not finished",
                ["activities": "\(count)", "from": node])
        case .channel(let diagnostic): diagnostic.write(to: log)
        }
    }
}

extension SessionWatch.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .ended(let count):
            log(
                .warning, "ended database sessions of a node that stands still",
                ["sessions": "\(count)"])
        case .stoodStill(let seconds):
            log(
                .warning,
                "this node stood still: others may have taken over what it had under way",
                ["seconds": "\(Int(seconds))"])
        case .store(let error):
            log.failed("sessions of nodes that stand still could not be looked for", error)
        }
    }
}
