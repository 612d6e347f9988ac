import Domain
import Foundation
import Projections
import Terminal

/// Matches of the Wyscout set: a file for each, with its teams, its players and a row for each
/// touch of the ball; the set's lists of matches say when one began, who is at home, and who came
/// on for whom.
/// Source: https://doi.org/10.6084/m9.figshare.c.4415000, by match in
/// https://github.com/koenvo/wyscout-soccer-match-event-dataset, `processed-v2/files`.
enum Wyscout {
    private struct File: Decodable {
        var events: [Row]
        var teams: [String: TeamEntry]
        var players: [String: [PlayerEntry?]?]
    }

    private struct TeamEntry: Decodable {
        struct Team: Decodable {
            var wyId: Int
            var name: String
        }

        var team: Team
    }

    private struct PlayerEntry: Decodable {
        struct Player: Decodable {
            var wyId: Int
            var shortName: String
        }

        var player: Player?
    }

    private struct Row: Decodable {
        struct Tag: Decodable {
            var id: Int
        }

        var id: Int
        var matchId: Int
        var matchPeriod: String
        var eventSec: Double
        var eventName: String
        var subEventName: String?
        var teamId: Int
        var playerId: Int
        var tags: [Tag]

        func has(_ tag: Int) -> Bool { tags.contains { $0.id == tag } }
    }

    private struct Listed: Decodable {
        struct Side: Decodable {
            var teamId: Int
            var side: String
            /// After 90 minutes.
            var score: Int?
            var substitutions: [Substitution]

            /// A team without a formation, or a formation without changes, has a text there.
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                teamId = try container.decode(Int.self, forKey: .teamId)
                side = try container.decode(String.self, forKey: .side)
                score = try container.decodeIfPresent(Int.self, forKey: .score)
                let formation = try? container.decode(Formation.self, forKey: .formation)
                substitutions = formation?.substitutions ?? []
            }

            enum CodingKeys: CodingKey { case teamId, side, score, formation }
        }

        struct Formation: Decodable {
            var substitutions: [Substitution]
        }

        struct Substitution: Decodable {
            var playerIn: Int
            var playerOut: Int
            var minute: Int
        }

        var wyId: Int
        var dateutc: String
        var competitionId: Int
        var teamsData: [String: Side]
    }

    private enum Tag {
        static let goal = 101
        static let ownGoal = 102
        static let cards: [(tag: Int, card: Match.Card)] = [
            (1701, .red), (1702, .yellow), (1703, .secondYellow),
        ]
    }

    private static let periods: [String: Match.Period] = [
        "1H": .firstHalf, "2H": .secondHalf, "E1": .extraTimeFirstHalf,
        "E2": .extraTimeSecondHalf, "P": .shootout,
    ]

    private static let competitions = [
        28: "World Cup", 102: "European Championship", 364: "Premier League", 412: "Ligue 1",
        426: "Bundesliga", 524: "Serie A", 795: "La Liga",
    ]

    /// - Parameter list: matches of the competition; without it no substitution is known.
    static func converted(
        _ source: SourceFile, _ list: SourceFile?, _ heading: MatchHeading
    ) throws(ConversionError) -> Converted {
        let file = try source.decode(
            File.self,
            expected: "one match with events, teams and players, a file of "
                + "processed-v2/files")
        let teams = file.teams.values.map {
            ConvertedMatch.Team(id: $0.team.wyId, name: plain($0.team.name))
        }.sorted { $0.id < $1.id }
        guard teams.count == 2, let number = file.events.first?.matchId else {
            throw ConversionError(
                reason: "has \(teams.count) teams and \(file.events.count) events; give the file "
                    + "of one whole match")
        }
        var listed: Listed?
        if let list { listed = try self.listed(number, in: list) }
        let listing = try listed.map(Self.listing)
        var match = try heading.match("/wyscout", teams, listing)
        let players = names(file)
        for (index, row) in file.events.enumerated() {
            guard let period = periods[row.matchPeriod] else {
                throw ConversionError(
                    reason: "'events', row \(index + 1): matchPeriod '\(row.matchPeriod.shown())' "
                        + "is none of 1H, 2H, E1, E2 and P")
            }
            guard ConvertedMatch.PlayTime.secondsOfPeriods.contains(row.eventSec) else {
                throw ConversionError(
                    reason: "'events', row \(index + 1): eventSec \(row.eventSec) is no time "
                        + "within a period, which are seconds from 0 on")
            }
            guard let side = match.sides.side(of: row.teamId) else {
                throw ConversionError(
                    reason: "'events', row \(index + 1): teamId \(row.teamId) is neither "
                        + teams.map { "\($0.id), \($0.name.shown())" }.joined(separator: ", nor "))
            }
            let time = ConvertedMatch.PlayTime(period: period, seconds: row.eventSec)
            match.place = "'events', row \(index + 1)"
            match.play(until: time)
            add(row, side, players[row.playerId], time, to: &match)
        }
        // In the same order each time, so that ids stay the same.
        for side in (listed?.teamsData.values.sorted { $0.teamId < $1.teamId }) ?? [] {
            add(side, players, to: &match)
        }
        if match.unfinished == nil {
            try match.check(listing?.goals(atHome: match.sides.home), after: .secondHalf)
        }
        return try Converted(match)
    }

    /// The goalkeeper's row of a goal carries the goal's tag too and is not another one.
    private static func add(
        _ row: Row, _ side: Match.Side, _ player: String?, _ time: ConvertedMatch.PlayTime,
        to match: inout ConvertedMatch
    ) {
        let isPenalty = row.subEventName == "Penalty"
        let id = String(row.id)
        if time.period == .shootout {
            if isPenalty {
                match.kick(
                    row.has(Tag.goal) ? .scored : .notScored, by: player, of: side,
                    at: time.seconds)
            }
        } else if row.has(Tag.goal), row.eventName != "Save attempt" {
            match.score(id, for: side, isPenalty ? .penalty : .openPlay, by: player, at: time)
        } else if row.has(Tag.ownGoal) {
            match.score(id, for: side.opponent, .ownGoal, by: player, at: time)
        }
        for (tag, card) in Tag.cards where row.has(tag) {
            match.show(card, id, to: player, of: side, at: time)
        }
    }

    /// Changes are listed by minute: they count in its middle, and no later than the period's end.
    /// A change with an unknown player makes no event.
    private static func add(
        _ listed: Listed.Side, _ players: [Int: String], to match: inout ConvertedMatch
    ) {
        guard let side = match.sides.side(of: listed.teamId) else { return }
        for change in listed.substitutions {
            guard let on = players[change.playerIn], let off = players[change.playerOut] else {
                continue
            }
            let place = ConvertedMatch.period(of: change.minute, where: match.hasPlayed)
            guard let (period, first) = place else { continue }
            let seconds = Double(change.minute - first) * 60 + 30
            match.place = "the change of minute \(change.minute)"
            match.substitute(
                off, by: on, of: side,
                at: ConvertedMatch.PlayTime(
                    period: period, seconds: min(seconds, match.end(of: period))))
        }
    }

    private static func listed(
        _ number: Int, in list: SourceFile
    ) throws(ConversionError) -> Listed {
        let matches = try list.decode(
            [Listed].self, expected: "a competition's matches, one of matches_*.json in matches.zip"
        )
        guard let listed = matches.first(where: { $0.wyId == number }) else {
            throw list.refusal(
                "has no match with wyId \(number), of which the events are; give the list of its "
                    + "competition")
        }
        return listed
    }

    private static func listing(
        _ listed: Listed
    ) throws(ConversionError) -> MatchHeading.Listing {
        guard let home = listed.teamsData.values.first(where: { $0.side == "home" }) else {
            throw ConversionError(
                reason: "is match \(listed.wyId), of which --matches does not say who is at home; "
                    + "leave that out and give --home TEAM, --kickoff and --competition")
        }
        let away = listed.teamsData.values.first { $0.teamId != home.teamId }
        return MatchHeading.Listing(
            kickoff: Moment(rfc3339: listed.dateutc.replacing(" ", with: "T") + "Z"),
            competition: competitions[listed.competitionId], homeID: home.teamId,
            score: home.score.flatMap { goals in away?.score.map { [goals, $0] } })
    }

    private static func names(_ file: File) -> [Int: String] {
        let players = file.players.values.flatMap { $0 ?? [] }.compactMap { $0?.player }
        return Dictionary(
            players.map { ($0.wyId, plain($0.shortName)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Letters beyond ASCII are escaped twice in the set.
    private static func plain(_ text: String) -> String {
        (try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))) ?? text
    }
}
