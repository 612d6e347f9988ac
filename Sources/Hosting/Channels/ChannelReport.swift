import Delivery
import Domain
import Terminal

/// What `islet serve` says of channels.
extension ChannelDiagnostic {
    func write(to log: Log) {
        switch self {
        case .lost(let app):
            log(
                .error, "APNs does not know a channel any more: its listeners get nothing",
                fields(app))
        case .unaccounted(let app):
            log(
                .warning,
                "a channel may have been made that nobody uses: islet channels sweep "
                    + "finds it", fields(app))
        case .limitReached(let app):
            log(
                .error, "the app has as many channels as Apple allows: see islet channels list",
                fields(app))
        case .nearLimit(let app, let count):
            log(
                .warning, "the app has nearly as many channels as Apple allows",
                fields(app).merging(["count": "\(count)"]) { $1 })
        case .featureDisabled(let app):
            log(
                .error, "broadcasting is not enabled for the app on Apple's developer site",
                fields(app))
        case .keyRefused(let app, let reason):
            log.rarely(
                .error,
                "APNs refuses the key for the app's channels, which stops no pushes: islet "
                    + "channels list names the remedy",
                fields(app).merging(["reason": reason]) { $1 }, key: "\(app) \(reason)")
        case .refused(let app, let reason):
            log.rarely(
                .error, "APNs refuses what was asked about a channel",
                fields(app).merging(["reason": reason]) { $1 }, key: "\(app) \(reason)")
        case .unanswered(let app, let reason):
            log.rarely(
                .warning, "no answer from APNs about a channel",
                fields(app).merging(["reason": reason]) { $1 }, key: "\(app) \(reason)")
        case .notTaken(let app, let reason):
            log.rarely(
                .warning, "APNs did not do what was asked about a channel: it is tried again",
                fields(app).merging(["reason": reason]) { $1 }, key: "\(app)")
        }
    }

    private func fields(_ app: AppInEnvironment) -> [String: String] {
        ["bundleId": app.bundleID, "environment": app.environment.rawValue]
    }
}
