import EventStore
import Terminal

/// Says once that the database's clock is behind what the database has written down, which stops
/// pushes although all else looks well, and once that it has caught up.
struct DatabaseClock {
    private var isBehind = false

    mutating func note(behindSeconds seconds: Double, in log: Log) {
        let wasBehind = isBehind
        isBehind = seconds > (wasBehind ? 0 : FleetFacts.clockBehindSecondsMax)
        guard isBehind != wasBehind else { return }
        guard isBehind else {
            return log(
                .info,
                "the database's clock has caught up with what the database has written down: "
                    + "pushes go on")
        }
        log(
            .error,
            "the database's clock is behind what the database has written down: pushes wait until "
                + "it has come that far", ["seconds": "\(Int(seconds))"])
    }
}
