import Domain
import Foundation
import Projections
import Testing

extension OpenFootball.Match {
    private static let periods: [(period: Match.Period, minutes: ClosedRange<Int>)] = [
        (.firstHalf, 1...45), (.secondHalf, 46...90), (.extraTimeFirstHalf, 91...105),
        (.extraTimeSecondHalf, 106...120),
    ]

    private struct PlacedGoal {
        var id: String
        var side: Match.Side
        var goal: OpenFootball.Goal
    }

    /// The match as a feed would have reported it. The source has minutes, not times: minute m is
    /// its middle.
    func events(
        _ name: String, _ competition: String, _ kicks: [ShootoutKick]
    ) throws -> [NewEvent] {
        // The time is local and has no zone; a score does not depend on it.
        let clock = (time ?? "12:00").prefix(5)
        let kickoff = try #require(Moment(rfc3339: "\(date)T\(clock):00Z"))
        var script = FeedScript.match(
            "\(date) \(name)", team1.name, team2.name, competition, kickoff: kickoff)
        for (period, minutes) in Self.periods where period <= .secondHalf || score.et != nil {
            let start = FeedScript.start(of: period)
            script.add("PeriodStarted", start, ["period": period.rawValue])
            var end = start + Double(minutes.count) * 60
            for placed in goals where minutes.contains(placed.goal.minute) {
                let minute = placed.goal.minute - minutes.lowerBound + (placed.goal.offset ?? 0)
                let at = start + Double(minute) * 60 + 30
                script.add("GoalScored", at, data(placed))
                end = max(end, at + 30)
            }
            script.add("PeriodEnded", end, ["period": period.rawValue])
        }
        if !kicks.isEmpty { script.add("ShootoutStarted", FeedScript.start(of: .shootout)) }
        for (index, kick) in kicks.enumerated() {
            script.add(
                "ShootoutKickTaken", FeedScript.start(of: .shootout) + Double(index + 1) * 60,
                [
                    "number": index + 1, "team": kick.side.rawValue, "scored": kick.isScored,
                    "player": kick.player,
                ])
        }
        script.add("FullTimeReached", FeedScript.start(of: .shootout) + 3600)
        return script.events
    }

    /// In the order of play; the source groups them by scorer.
    private var goals: [PlacedGoal] {
        func placed(_ goals: [OpenFootball.Goal]?, _ side: Match.Side) -> [PlacedGoal] {
            (goals ?? []).enumerated().map {
                PlacedGoal(id: "\(side.rawValue)-\($0 + 1)", side: side, goal: $1)
            }
        }
        return (placed(goals1, .home) + placed(goals2, .away)).sorted {
            ($0.goal.minute, $0.goal.offset ?? 0) < ($1.goal.minute, $1.goal.offset ?? 0)
        }
    }

    /// An own goal stands in the list of the side that profits, as in an event.
    private func data(_ placed: PlacedGoal) -> [String: Any?] {
        let goal = placed.goal
        let kind =
            goal.owngoal == true ? "ownGoal" : goal.penalty == true ? "penalty" : "openPlay"
        return [
            "goalID": placed.id, "team": placed.side.rawValue, "kind": kind,
            "player": goal.name, "minute": goal.minute, "addedMinutes": goal.offset,
        ]
    }
}
