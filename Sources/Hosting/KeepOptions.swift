import EventStore
import Pipeline
import Terminal

/// How long `islet serve` keeps what nobody needs any more.
enum KeepOptions {
    static let all = [
        OptionSpec(
            "keep-cards-days", .integer(1...3_650),
            "Days for which a card is kept that was closed or whose token APNs has rejected.",
            default: "30"),
        OptionSpec(
            "keep-notices-days", .integer(7...3_650),
            "Days for which followers and webhooks can still learn that an activity was parked, "
                + "released or erased.",
            default: "30"),
        OptionSpec(
            "keep-keys-days", .integer(1...3_650),
            "Days for which API keys are listed that were revoked or have expired.",
            default: "90"),
    ]

    static func days(_ arguments: Arguments) -> [Leftover: Int] {
        var days: [Leftover: Int] = [:]
        days[.registrations] = arguments.integer("keep-cards-days")
        days[.notices] = arguments.integer("keep-notices-days")
        days[.keys] = arguments.integer("keep-keys-days")
        return days
    }
}

extension Sweeper.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .removed(let sort, let count):
            log(
                .info, "removed what was kept long enough",
                ["sort": sort.rawValue, "rows": "\(count)"])
        case .store(let error):
            // The next one to fail is an hour away, or works.
            log.stopped(
                "removing what was kept long enough", error,
                passedAfterSeconds: Pipeline.Limits.sweepSeconds * 1.5)
        }
    }
}
