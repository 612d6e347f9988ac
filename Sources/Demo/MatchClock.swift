import Domain
import ServerClient

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
        before event: JSONObject, _ type: String, atSeconds seconds: Double, _ moment: Moment
    ) -> JSONObject? {
        let data = event.object("data")
        switch type {
        case "Match.PeriodStarted", "Match.PlayResumed", "Match.ClockAdjusted":
            guard let period = data?.text("period") else { return nil }
            let start = Match.Period(rawValue: period)?.clockSecondsAtStart ?? 0
            let reading = data?.integer("clockSeconds").map(Double.init) ?? Double(start)
            running = (period, seconds - reading)
            return nil
        case "Match.PeriodEnded", "Match.PlaySuspended", "Match.ShootoutStarted",
            "Match.FullTimeReached", "Match.MatchAbandoned":
            running = nil
            return nil
        default:
            guard speed != 1, let running, let subject = event.text("subject") else { return nil }
            readings += 1
            return JSONObject(members: [
                "specversion": "1.0", "id": "\(subject)-reading-\(readings)",
                "source": "/islet/demo", "type": "Match.ClockAdjusted", "subject": subject,
                "time": moment.rfc3339,
                "data": [
                    "period": running.period, "clockSeconds": Int(seconds - running.zero),
                ] as [String: Any],
            ])
        }
    }
}
