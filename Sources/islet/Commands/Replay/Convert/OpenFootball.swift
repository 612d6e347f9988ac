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

    private static func events(
        _ game: Game, _ competition: String
    ) throws(ConversionFault) -> [ConvertedEvent] {
        guard let kickoff = Moment(rfc3339: "\(game.date)T\((game.time ?? "12:00").prefix(5)):00Z")
        else { throw ConversionFault(reason: "has a match whose date is \(game.date)") }
        var match = ConvertedMatch(
            source: "/openfootball", competition: competition, kickoff: kickoff,
            sides: ConvertedMatch.Sides(
                home: ConvertedMatch.Team(id: 1, name: game.team1.name),
                away: ConvertedMatch.Team(id: 2, name: game.team2.name)))
        let goals = inOrder(game)
        for (period, minutes) in ConvertedMatch.minutes
        where period <= .secondHalf || game.score?.et != nil {
            let end = Double(minutes.count) * 60
            match.play(until: ConvertedMatch.PlayTime(period: period, seconds: end))
            for goal in goals where minutes.contains(goal.goal.minute) {
                add(goal, period, from: minutes.lowerBound, to: &match)
            }
        }
        if game.score?.p != nil {
            match.play(until: ConvertedMatch.PlayTime(period: .shootout, seconds: 600))
        }
        return match.events
    }

    /// In the middle of its minute. An own goal stands with the side that profits, as in an event.
    private static func add(
        _ placed: PlacedGoal, _ period: Match.Period, from first: Int,
        to match: inout ConvertedMatch
    ) {
        let goal = placed.goal
        let kind: Match.GoalKind =
            goal.owngoal == true ? .ownGoal : goal.penalty == true ? .penalty : .openPlay
        var time = ConvertedMatch.PlayTime(
            period: period, seconds: Double(goal.minute - first + (goal.offset ?? 0)) * 60 + 30)
        match.score(placed.id, for: placed.side, kind, by: goal.name, at: time)
        time.seconds += 30
        match.play(until: time)
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
}
