import Domain
import Foundation
import Testing

/// Matches of the Wyscout set: key events as a timeline, and four full streams.
struct Wyscout {
    /// Folder below the data's, such as `football/wyscout`.
    var folder: String

    struct Side: Decodable {
        var team: String
        var score: Int
        var scoreHt: Int
        var scoreEt: Int
        var scoreP: Int
    }

    struct Match: Decodable {
        var match: Int
        var competition: String
        var label: String
        var kickoffUtc: String
        var duration: String
        var home: Side
        var away: Side

        var stated: ScoreSheet {
            ScoreSheet(
                halfTime: [home.scoreHt, away.scoreHt],
                ninetyMinutes: [home.score, away.score],
                extraTime: duration == "Regular" ? nil : [home.scoreEt, away.scoreEt],
                shootout: duration == "Penalties" ? [home.scoreP, away.scoreP] : nil)
        }
    }

    /// A row of a timeline or of a full stream.
    struct Row: Decodable {
        var match: Int
        var seq: Int
        var period: String
        var minute: Int
        var added: Int
        /// Since the period began; a substitution has none.
        var second: Double?
        var type: String
        var subtype: String?
        var team: String?
        var player: String?
        var playerIn: String?
        var id: Int?
        var tags: [Int]?
    }

    func matches() throws -> [Match] {
        try decoder.decode(
            [Match].self, from: Data(contentsOf: SharedData.file("\(folder)/matches.json")))
    }

    func timelines() throws -> [ImportedMatch] {
        let rows = Dictionary(grouping: try rows("timeline.jsonl"), by: \.match)
        return try matches().map { match in
            ImportedMatch(
                name: match.label,
                events: try TimelineReading(match).events(of: rows[match.match] ?? []),
                stated: match.stated)
        }
    }

    /// - Parameter order: of the rows; a full stream by `id` is a feed out of order.
    func fullStream(_ number: Int, inOrderOf order: (Row) -> Int) throws -> ImportedMatch {
        let match = try #require(try matches().first { $0.match == number })
        let rows = try rows("events-\(number).jsonl").sorted { order($0) < order($1) }
        return ImportedMatch(
            name: match.label, events: try FullStreamReading(match).events(of: rows),
            stated: match.stated)
    }

    private var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private func rows(_ file: String) throws -> [Row] {
        let decoder = decoder
        return try SharedData.lines("\(folder)/\(file)").map {
            try decoder.decode(Row.self, from: Data($0.utf8))
        }
    }
}

extension Wyscout.Match {
    func script() throws -> FeedScript {
        FeedScript.match(
            "wyscout-\(match)", home.team, away.team, competition,
            kickoff: try #require(Moment(rfc3339: kickoffUtc)))
    }

    /// - Parameter other: true for the side that profits from an own goal.
    func side(_ team: String?, other: Bool = false) throws -> String {
        try #require(team == home.team || team == away.team)
        return (team == home.team) != other ? "home" : "away"
    }
}

extension Wyscout.Row {
    /// Nil for the shoot-out, which has no clock.
    var timedPeriod: Match.Period? {
        switch period {
        case "1H": .firstHalf
        case "2H": .secondHalf
        case "E1": .extraTimeFirstHalf
        case "E2": .extraTimeSecondHalf
        default: nil
        }
    }

    /// Since kick-off, by the clock on the wall.
    var seconds: Double {
        FeedScript.start(of: timedPeriod ?? .shootout) + (second ?? Double(minute % 45) * 60)
    }
}
