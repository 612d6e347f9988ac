import Domain
import Foundation

/// Tournaments as openfootball writes them: matches with goals by minute.
/// Source: https://github.com/openfootball/worldcup.json, and euro.json, whose rounds hold the
/// matches and whose teams are objects.
enum OpenFootball {
    private struct Tournament: Decodable {
        var name: String
        var matches: [Game]?
        var rounds: [Round]?
    }

    private struct Round: Decodable {
        var matches: [Game]
    }

    private struct Team: Decodable {
        var name: String

        init(from decoder: any Decoder) throws {
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                self.name = name
            } else {
                name = try decoder.container(keyedBy: CodingKeys.self)
                    .decode(String.self, forKey: .name)
            }
        }

        enum CodingKeys: CodingKey { case name }
    }

    private struct Score: Decodable {
        var et: [Int]?
        var p: [Int]?
    }

    private struct Goal: Decodable {
        var name: String
        var minute: Int
        var offset: Int?
        var penalty: Bool?
        var owngoal: Bool?
    }

    private struct Game: Decodable {
        var date: String
        var time: String?
        var team1: Team
        var team2: Team
        var score: Score?
        var goals1: [Goal]?
        var goals2: [Goal]?
    }

    static func events(_ data: Data) throws(ConversionFault) -> [ConvertedEvent] {
        let tournament: Tournament
        do { tournament = try JSONDecoder().decode(Tournament.self, from: data) } catch {
            throw ConversionFault(reason: "is no tournament as openfootball writes them")
        }
        let games = tournament.matches ?? tournament.rounds?.flatMap(\.matches) ?? []
        var events: [ConvertedEvent] = []
        for game in games { events += try self.events(game, tournament.name) }
        return events
    }

    private static let periods: [(period: Match.Period, minutes: ClosedRange<Int>)] = [
        (.firstHalf, 1...45), (.secondHalf, 46...90), (.extraTimeFirstHalf, 91...105),
        (.extraTimeSecondHalf, 106...120),
    ]

    private static func events(
        _ game: Game, _ competition: String
    ) throws(ConversionFault) -> [ConvertedEvent] {
        guard let kickoff = Moment(rfc3339: "\(game.date)T\((game.time ?? "12:00").prefix(5)):00Z")
        else { throw ConversionFault(reason: "has a match whose date is \(game.date)") }
        var feed = Feed(
            subject: [game.date, slug(game.team1.name), slug(game.team2.name)]
                .joined(separator: "-"), kickoff: kickoff)
        feed.add(
            "MatchScheduled", -3600,
            [
                "competition": .text(competition), "homeTeam": .text(game.team1.name),
                "awayTeam": .text(game.team2.name), "kickoff": .text(kickoff.rfc3339),
            ])
        let goals = inOrder(game)
        var start = 0.0
        for (period, minutes) in periods where period <= .secondHalf || game.score?.et != nil {
            feed.add("PeriodStarted", start, ["period": .text(period.rawValue)])
            var end = start + Double(minutes.count) * 60
            for goal in goals where minutes.contains(goal.goal.minute) {
                let minute = goal.goal.minute - minutes.lowerBound + (goal.goal.offset ?? 0)
                let at = start + Double(minute) * 60 + 30
                feed.add("GoalScored", at, data(goal))
                end = max(end, at + 30)
            }
            feed.add("PeriodEnded", end, ["period": .text(period.rawValue)])
            // Half-time, or the short break before and in extra time.
            start = end + (period == .firstHalf ? 900 : 300)
        }
        if game.score?.p != nil {
            feed.add("ShootoutStarted", start, [:])
            start += 600
        }
        feed.add("FullTimeReached", start, [:])
        return feed.events
    }

    private struct PlacedGoal {
        var id: String
        var side: Match.Side
        var goal: Goal
    }

    /// The source groups them by scorer.
    private static func inOrder(_ game: Game) -> [PlacedGoal] {
        func placed(_ goals: [Goal]?, _ side: Match.Side) -> [PlacedGoal] {
            (goals ?? []).enumerated().map {
                PlacedGoal(id: "\(side.rawValue)-\($0 + 1)", side: side, goal: $1)
            }
        }
        return (placed(game.goals1, .home) + placed(game.goals2, .away)).sorted {
            ($0.goal.minute, $0.goal.offset ?? 0, $0.id)
                < ($1.goal.minute, $1.goal.offset ?? 0, $1.id)
        }
    }

    /// An own goal stands with the side that profits, as in an event.
    private static func data(_ placed: PlacedGoal) -> [String: ConvertedEvent.Value] {
        let goal = placed.goal
        let kind =
            goal.owngoal == true ? "ownGoal" : goal.penalty == true ? "penalty" : "openPlay"
        var data: [String: ConvertedEvent.Value] = [
            "goalID": .text(placed.id), "team": .text(placed.side.rawValue), "kind": .text(kind),
            "player": .text(goal.name), "minute": .integer(goal.minute),
        ]
        if let offset = goal.offset { data["addedMinutes"] = .integer(offset) }
        return data
    }

    private static func slug(_ name: String) -> String {
        let plain = name.folding(options: .diacriticInsensitive, locale: nil).lowercased()
        return plain.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "-" }.joined()
    }

    private struct Feed {
        let subject: String
        let kickoff: Moment
        var events: [ConvertedEvent] = []

        mutating func add(
            _ type: String, _ seconds: Double, _ data: [String: ConvertedEvent.Value]
        ) {
            events.append(
                ConvertedEvent(
                    id: "\(subject)-\(events.count + 1)", source: "/openfootball",
                    type: "Match.\(type)", subject: subject,
                    time: kickoff.adding(seconds: seconds), data: data))
        }
    }
}
