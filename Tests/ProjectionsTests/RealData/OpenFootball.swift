import Domain
import Foundation
import ProjectFiles
import Testing

/// Tournaments as openfootball writes them, from a folder with its files.
struct OpenFootball {
    var folder: URL

    /// The subset that lies in the project.
    static let fixture = OpenFootball(
        folder: ProjectFiles.url("Tests/ProjectionsTests/Fixtures/openfootball"))

    struct Goal: Decodable {
        var name: String
        var minute: Int
        var offset: Int?
        var penalty: Bool?
        var owngoal: Bool?
    }

    struct Score: Decodable {
        var ht: [Int]?
        var ft: [Int]
        var et: [Int]?
        var p: [Int]?
    }

    /// A name, or an object with a name: the two files differ.
    struct Team: Decodable {
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

    struct Match: Decodable {
        var date: String
        var time: String?
        var team1: Team
        var team2: Team
        var score: Score
        var goals1: [Goal]?
        var goals2: [Goal]?
    }

    private struct Tournament: Decodable {
        struct Round: Decodable { var matches: [Match] }

        var name: String
        var matches: [Match]?
        var rounds: [Round]?
    }

    func worldCup2022() throws -> [ImportedMatch] {
        let kicks = try shootouts("worldcup-2022-full.txt")
        return try matches("worldcup-2022.json", kicks)
    }

    /// This file says how each shoot-out ended, not its kicks: they are made up from that.
    func euro2020() throws -> [ImportedMatch] { try matches("euro-2020.json", [:]) }

    private func matches(
        _ file: String, _ kicks: [String: [ShootoutKick]]
    ) throws -> [ImportedMatch] {
        let data = try Data(contentsOf: folder.appending(path: file))
        let tournament = try JSONDecoder().decode(Tournament.self, from: data)
        let matches = tournament.matches ?? tournament.rounds?.flatMap(\.matches) ?? []
        return try matches.map { match in
            let name = "\(match.team1.name) v \(match.team2.name)"
            return ImportedMatch(
                name: name,
                events: try match.events(
                    name, tournament.name,
                    kicks[name] ?? match.score.p.map(ShootoutKick.made) ?? []),
                stated: ScoreSheet(
                    halfTime: match.score.ht, ninetyMinutes: match.score.ft,
                    extraTime: match.score.et, shootout: match.score.p))
        }
    }

    /// Kicks by match, from the text file.
    private func shootouts(_ file: String) throws -> [String: [ShootoutKick]] {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        var kicks: [String: [ShootoutKick]] = [:]
        var name = ""
        for paragraph in text.replacing("\r\n", with: "\n").components(separatedBy: "\n\n") {
            if let match = paragraph.firstMatch(of: /\n  (\S.*?) v (.*?)  +\d/) {
                name = "\(match.1) v \(match.2)"
            }
            guard let start = paragraph.range(of: "Penalties:") else { continue }
            kicks[name] = try ShootoutKick.parse(String(paragraph[start.upperBound...]))
        }
        return kicks
    }
}
