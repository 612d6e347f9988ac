import Domain
import JSON

/// The clock of a match that is played faster than phones count: before each report the feed says
/// what it reads, so a goal of the 18th minute comes at 17 minutes and some seconds.
struct MatchClock {
    let speed: Double
    private var readings = 0
    /// Nil while it stands.
    private var running: (period: String, zero: Double)?

    init(speed: Double) { self.speed = speed }

    /// - Parameters:
    ///   - event: the next one.
    ///   - seconds: of the story, since it began.
    ///   - moment: when it is played.
    /// - Returns: the event that tells what the clock reads; nil while it stands, and where the
    ///   next one tells.
    mutating func reading(
        before event: JSON, _ type: String, atSeconds seconds: Double, _ moment: Moment
    ) -> JSON? {
        let data = event["data"]
        switch type {
        case "Match.PeriodStarted", "Match.PlayResumed", "Match.ClockAdjusted":
            guard let period = data?["period"]?.text else { return nil }
            let start = Match.Period(rawValue: period)?.clockSecondsAtStart ?? 0
            let reading = data?["clockSeconds"]?.wholeNumber.map(Double.init) ?? Double(start)
            running = (period, seconds - reading)
            return nil
        case "Match.PeriodEnded", "Match.PlaySuspended", "Match.ShootoutStarted",
            "Match.FullTimeReached", "Match.MatchAbandoned":
            running = nil
            return nil
        default:
            guard speed != 1, let running, let subject = event["subject"]?.text else { return nil }
            readings += 1
            return [
                "specversion": "1.0", "id": .string("\(subject)-reading-\(readings)"),
                "source": "/islet/demo", "type": "Match.ClockAdjusted",
                "subject": .string(subject), "time": .string(moment.rfc3339),
                "data": [
                    "period": .string(running.period),
                    "clockSeconds": .integer(Int(seconds - running.zero)),
                ],
            ]
        }
    }
}
