import DatabaseAccess
import Domain
import EventStore
import Pipeline
import Terminal

/// What `islet serve` says of checkpoints that stand still.
extension LagWatch.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .lag(.stalled(let lag)):
            log(
                .warning, "a checkpoint stands still: no projector folds this tenant's events",
                [
                    "tenant": "\(lag.tenant.rawValue)", "position": "\(lag.checkpoint)",
                    "head": "\(lag.head)", "waited": "\(Int(lag.waitedSeconds))s",
                ])
        case .lag(.movesAgain(let tenant)):
            log(.info, "the checkpoint moves again", ["tenant": "\(tenant.rawValue)"])
        case .clock(.stalled(let place)):
            log(
                .warning, "the clock stands still: nobody brings about what is due",
                ["tenant": "\(place.tenant.rawValue)", "due": place.dueAt.rfc3339])
        case .clock(.movesAgain): log(.info, "the clock moves again")
        case .store(let error):
            log.failed("the lag could not be read", error)
        }
    }
}
