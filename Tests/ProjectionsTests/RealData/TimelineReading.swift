import Domain
import Foundation
import Testing

/// Reads the rows of a Wyscout timeline as events of a match.
struct TimelineReading {
    private let match: Wyscout.Match
    private var script: FeedScript
    private var kicks = 0

    init(_ match: Wyscout.Match) throws {
        self.match = match
        script = try match.script()
    }

    func events(of rows: [Wyscout.Row]) throws -> [NewEvent] {
        var reading = self
        for row in rows { try reading.read(row) }
        return reading.script.events
    }

    private mutating func read(_ row: Wyscout.Row) throws {
        let period = row.timedPeriod?.rawValue
        switch row.type {
        case "kick_off", "second_half_start", "extra_time_start", "extra_time_second_half_start":
            script.add("PeriodStarted", row.seconds, ["period": period])
        case "half_time", "end_of_ninety", "extra_time_half_time", "end_of_extra_time":
            script.add("PeriodEnded", row.seconds, ["period": period])
        case "full_time":
            if period != nil { script.add("PeriodEnded", row.seconds, ["period": period]) }
            script.add("FullTimeReached", row.seconds)
        case "goal", "penalty_goal", "own_goal":
            script.add(
                "GoalScored", row.seconds,
                [
                    "goalID": "\(row.seq)",
                    "team": try match.side(row.team, other: row.type == "own_goal"),
                    "kind": [
                        "goal": "openPlay", "penalty_goal": "penalty", "own_goal": "ownGoal",
                    ][row.type], "player": row.player, "minute": row.minute,
                ])
        case "yellow_card", "second_yellow_card", "red_card":
            script.add(
                "CardShown", row.seconds,
                [
                    "cardID": "\(row.seq)", "team": try match.side(row.team),
                    "card": [
                        "yellow_card": "yellow", "second_yellow_card": "secondYellow",
                        "red_card": "red",
                    ][row.type], "player": row.player, "minute": row.minute,
                ])
        case "substitution":
            script.add(
                "PlayerSubstituted", row.seconds,
                [
                    "team": try match.side(row.team), "playerOn": row.playerIn,
                    "playerOff": row.player,
                ])
        case "shootout_start": script.add("ShootoutStarted", row.seconds)
        case "shootout_scored", "shootout_missed":
            kicks += 1
            script.add(
                "ShootoutKickTaken", row.seconds,
                [
                    "number": kicks, "team": try match.side(row.team),
                    "scored": row.type == "shootout_scored", "player": row.player,
                ])
        case "penalty_missed": break
        default: Issue.record("a timeline has an unknown row: \(row.type)")
        }
    }
}
