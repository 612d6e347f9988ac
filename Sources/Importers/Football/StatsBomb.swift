import Domain
import Projections
import Terminal

/// Matches as StatsBomb publishes them: `events/<match>.json` has a row for each touch of the ball,
/// `matches/<competition>/<season>.json` says when a match began and who is at home.
/// Source: https://github.com/statsbomb/open-data, doc/ (Open Data Events, Open Data Matches).
enum StatsBomb {
    private struct Named: Decodable {
        var id: Int
        var name: String
    }

    private struct Shot: Decodable {
        var outcome: Named
        var type: Named
    }

    private struct Substitution: Decodable {
        var replacement: Named
    }

    private struct Offence: Decodable {
        var card: Named?
    }

    private struct Row: Decodable {
        var id: String
        var period: Int
        var timestamp: String
        var type: Named
        var team: Named
        var player: Named?
        var relatedEvents: [String]?
        var shot: Shot?
        var substitution: Substitution?
        var foulCommitted: Offence?
        var badBehaviour: Offence?

        /// Since the period began; nil when the timestamp is no time.
        var seconds: Double? {
            let parts = timestamp.split(separator: ":").compactMap { Double($0) }
            return parts.count == 3 ? parts.reduce(0) { $0 * 60 + $1 } : nil
        }

        func names(_ other: Row) -> Bool { relatedEvents?.contains(other.id) == true }

        /// Within a second: no two goals are.
        func isSimultaneous(with other: Row) -> Bool {
            guard let seconds, let second = other.seconds else { return false }
            return period == other.period && abs(seconds - second) < 1
        }

        enum CodingKeys: String, CodingKey {
            case id, period, timestamp, type, team, player, shot, substitution
            case relatedEvents = "related_events"
            case foulCommitted = "foul_committed"
            case badBehaviour = "bad_behaviour"
        }
    }

    private struct Listed: Decodable {
        struct Competition: Decodable {
            var name: String

            enum CodingKeys: String, CodingKey { case name = "competition_name" }
        }

        struct Season: Decodable {
            var name: String

            enum CodingKeys: String, CodingKey { case name = "season_name" }
        }

        struct Team: Decodable {
            var id: Int

            enum CodingKeys: String, CodingKey { case id = "home_team_id" }
        }

        var id: Int
        var date: String
        var kickoff: String?
        var competition: Competition
        var season: Season
        var home: Team
        var homeScore: Int?
        var awayScore: Int?
        var status: String?

        enum CodingKeys: String, CodingKey {
            case competition, season
            case id = "match_id"
            case date = "match_date"
            case kickoff = "kick_off"
            case home = "home_team"
            case homeScore = "home_score"
            case awayScore = "away_score"
            case status = "match_status"
        }
    }

    private static let periods: [Match.Period] = [
        .firstHalf, .secondHalf, .extraTimeFirstHalf, .extraTimeSecondHalf, .shootout,
    ]

    private static let cards: [String: Match.Card] = [
        "Yellow Card": .yellow, "Second Yellow": .secondYellow, "Red Card": .red,
    ]

    /// - Parameter list: the season's matches; the events' file has the number of its match for a
    ///   name.
    static func converted(
        _ file: SourceFile, _ list: SourceFile?, _ heading: MatchHeading
    ) throws(ConversionError) -> Converted {
        let rows = try file.decode(
            [Row].self, expected: "one match's events, a file of data/events in open-data")
        let teams = rows.filter { $0.type.name == "Starting XI" }.map {
            ConvertedMatch.Team(id: $0.team.id, name: $0.team.name)
        }
        guard teams.count == 2, teams[0].id != teams[1].id else {
            throw ConversionError(
                reason: "has \(teams.count) rows of type Starting XI, where the two teams have "
                    + "one each; give a whole file of data/events in open-data")
        }
        var listing: MatchHeading.Listing?
        if let list { listing = try self.listing(of: file.name, in: list) }
        var match = try heading.match("/statsbomb", teams, listing, presumedHome: teams[0])
        let repeated = repeatedOwnGoals(rows)
        for (index, row) in rows.enumerated() {
            let time = try time(of: row, number: index + 1)
            match.place = "row \(index + 1)"
            match.play(until: time)
            guard let side = match.sides.side(of: row.team.id) else {
                throw ConversionError(
                    reason: "row \(index + 1): team '\(row.team.name.shown())' is neither "
                        + teams.map { $0.name.shown() }.joined(separator: " nor "))
            }
            if !repeated.contains(row.id) { add(row, side, time, to: &match) }
        }
        match.doubt = listing?.unfinished ?? unfinished(rows)
        if match.unfinished == nil {
            try match.check(listing?.goals(atHome: match.sides.home))
        }
        return try Converted(match)
    }

    private static func unfinished(_ rows: [Row]) -> String? {
        let last = rows.map(\.period).max()
        let isEnded = rows.contains { $0.period == last && $0.type.name == "Half End" }
        return isEnded ? nil : "its last period has no row of type Half End"
    }

    /// Rows of the side that profits of which the scorer's side has one too: one of the two names
    /// the other, or neither does and both have the same time.
    private static func repeatedOwnGoals(_ rows: [Row]) -> Set<String> {
        var against = rows.filter { $0.type.name == "Own Goal Against" }
        var twice: Set<String> = []
        let pairings: [(Row, Row) -> Bool] = [
            { $0.names($1) || $1.names($0) },
            { $0.isSimultaneous(with: $1) && $0.team.id != $1.team.id },
        ]
        for isPair in pairings {
            for row in rows where row.type.name == "Own Goal For" && !twice.contains(row.id) {
                guard let index = against.firstIndex(where: { isPair(row, $0) }) else { continue }
                against.remove(at: index)
                twice.insert(row.id)
            }
        }
        return twice
    }

    private static func time(
        of row: Row, number: Int
    ) throws(ConversionError) -> ConvertedMatch.PlayTime {
        guard (1...periods.count).contains(row.period) else {
            throw ConversionError(
                reason: "row \(number): period \(row.period) is none of 1 to 5, which are two "
                    + "halves, two of extra time and the shoot-out")
        }
        guard let seconds = row.seconds,
            ConvertedMatch.PlayTime.secondsOfPeriods.contains(seconds)
        else {
            throw ConversionError(
                reason: "row \(number): timestamp '\(row.timestamp.shown())' is no time within "
                    + "a period such as 00:12:34.567")
        }
        return ConvertedMatch.PlayTime(period: periods[row.period - 1], seconds: seconds)
    }

    /// An own goal has a row of either team; the scorer stands in that of his own.
    private static func add(
        _ row: Row, _ side: Match.Side, _ time: ConvertedMatch.PlayTime,
        to match: inout ConvertedMatch
    ) {
        let player = row.player?.name
        if let shot = row.shot, time.period == .shootout {
            let outcome = shot.outcome.name
            match.kick(
                outcome == "Goal" ? .scored : outcome.hasPrefix("Saved") ? .saved : .missed,
                by: player, of: side, at: time.seconds)
        } else if let shot = row.shot, shot.outcome.name == "Goal" {
            let kind: Match.GoalKind = shot.type.name == "Penalty" ? .penalty : .openPlay
            match.score(row.id, for: side, kind, by: player, at: time)
        } else if row.type.name == "Own Goal Against" {
            match.score(row.id, for: side.opponent, .ownGoal, by: player, at: time)
        } else if row.type.name == "Own Goal For" {
            match.score(row.id, for: side, .ownGoal, by: nil, at: time)
        } else if let substitution = row.substitution, let player {
            match.substitute(player, by: substitution.replacement.name, of: side, at: time)
        } else if let name = (row.foulCommitted?.card ?? row.badBehaviour?.card)?.name,
            let card = cards[name]
        {
            match.show(card, row.id, to: player, of: side, at: time)
        }
    }

    /// Times in the list are local and have no zone; they are taken as UTC.
    private static func listing(
        of match: String, in list: SourceFile
    ) throws(ConversionError) -> MatchHeading.Listing {
        let matches = try list.decode(
            [Listed].self, expected: "a season's matches, a file of data/matches in open-data")
        guard let listed = matches.first(where: { String($0.id) == match }) else {
            throw list.refusal(
                "has no match_id '\(match)', which the events' file is called; give the season of "
                    + "that match, and the events under their published name")
        }
        let kickoff = listed.kickoff.flatMap {
            Moment(rfc3339: "\(listed.date)T\($0.prefix(5)):00Z")
        }
        let isDay = Moment(rfc3339: "\(listed.date)T00:00:00Z") != nil
        return MatchHeading.Listing(
            kickoff: kickoff, day: isDay ? listed.date : nil,
            competition: "\(listed.competition.name) \(listed.season.name)",
            homeID: listed.home.id,
            score: listed.homeScore.flatMap { home in listed.awayScore.map { [home, $0] } },
            unfinished: listed.status.flatMap {
                $0 == "available" ? nil : "its match_status is '\($0.shown())'"
            })
    }
}
