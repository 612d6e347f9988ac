import AppKeys
import Delivery
import Domain
import Terminal

/// What the log says of webhooks.
extension WebhookSender.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .store(let error): log.stopped("telling webhooks", error)
        case .failing(let id, let reason):
            log(
                .warning, "nothing arrives at a webhook: it is tried again, later and later",
                ["webhook": id, "reason": reason])
        case .recovered(let id):
            log(.info, "a webhook answers again", ["webhook": id])
        case .stopped(let id, .failing, let reason):
            log(
                .error, "a webhook was turned off: nothing has arrived for days",
                ["webhook": id, "reason": reason])
        case .stopped(let id, _, let reason):
            log(
                .warning, "a webhook was turned off: it wants no more",
                ["webhook": id, "reason": reason])
        case .givenUp(let id, let count, let reason):
            log(
                .error, "messages to a webhook were given up: see islet dead-letters list",
                ["webhook": id, "count": "\(count)", "reason": reason])
        case .sealed(let id):
            log(
                .error,
                "no line of --master-key-file opens a webhook's secret: give the server the right "
                    + "file. If that line is lost, " + MasterKeys.remedyForSecrets,
                ["webhook": id])
        }
    }
}
