import Domain
import Foundation

/// Writes the events of one activity, in the order in which they are added.
struct FeedScript {
    private(set) var events: [NewEvent] = []
    private let kind: String
    private let activity: String
    private let beginning: Moment

    /// - Parameter beginning: from which the seconds of the events are counted.
    init(_ kind: String, _ activity: String, from beginning: Moment) {
        self.kind = kind
        self.activity = activity
        self.beginning = beginning
    }

    mutating func add(_ type: String, _ seconds: Double, _ data: [String: Any?] = [:]) {
        let known = data.compactMapValues { $0 }
        // Dictionaries of strings and numbers always have a JSON form.
        let json = (try? JSONSerialization.data(withJSONObject: known)) ?? Data()
        events.append(
            NewEvent(
                id: "\(events.count)", source: activity, type: "\(kind).\(type)",
                activityID: ActivityID(rawValue: activity),
                occurredAt: beginning.adding(seconds: seconds), data: json))
    }
}

extension FeedScript {
    /// A match that has been scheduled; seconds are counted from kick-off by the clock on the wall.
    static func match(
        _ activity: String, _ home: String, _ away: String, _ competition: String,
        kickoff: Moment
    ) -> FeedScript {
        var script = FeedScript("Match", activity, from: kickoff)
        script.add(
            "MatchScheduled", -3600,
            [
                "competition": competition, "homeTeam": home, "awayTeam": away,
                "kickoff": kickoff.rfc3339,
            ])
        return script
    }

    /// Seconds from kick-off to the start of a period, with usual breaks.
    static func start(of period: Match.Period) -> Double {
        switch period {
        case .firstHalf: 0
        case .secondHalf: 65 * 60
        case .extraTimeFirstHalf: 125 * 60
        case .extraTimeSecondHalf: 145 * 60
        default: 175 * 60
        }
    }
}
