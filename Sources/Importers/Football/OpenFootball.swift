import Domain

/// Tournaments as openfootball writes them: matches with goals by minute.
/// Source: https://github.com/openfootball/worldcup.json, and euro.json, whose rounds have the
/// matches and whose teams are objects.
enum OpenFootball {
    private struct Tournament: Decodable {
        struct Round: Decodable {
            var matches: [Game]
        }

        var name: String
        var matches: [Game]?
        var rounds: [Round]?
    }

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

    /// Goals of the first team and of the second, in all until then; kicks alone in `p`.
    struct Score: Decodable {
        var ft: [Int]?
        var et: [Int]?
        var p: [Int]?

        /// A list stands for a match that was over after 90 minutes.
        init(from decoder: any Decoder) throws {
            if let score = try? decoder.singleValueContainer().decode([Int].self) {
                ft = score
            } else {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                ft = try container.decodeIfPresent([Int].self, forKey: .ft)
                et = try container.decodeIfPresent([Int].self, forKey: .et)
                p = try container.decodeIfPresent([Int].self, forKey: .p)
            }
        }

        enum CodingKeys: CodingKey { case ft, et, p }
    }

    struct Goal: Decodable {
        /// `9`, or a text such as `9` or `45+2`.
        struct Minute: Decodable {
            var text: String

            init(from decoder: any Decoder) throws {
                let number = try? Int(from: decoder)
                text = try number.map { String($0) } ?? String(from: decoder)
            }
        }

        var name: String?
        var minute: Minute
        var offset: Int?
        var penalty: Bool?
        var owngoal: Bool?
    }

    struct Game: Decodable {
        var date: String
        var time: String?
        /// Such as ABANDONED; few matches have one.
        var status: String?
        var team1: Team
        var team2: Team
        var score: Score?
        var goals1: [Goal]?
        var goals2: [Goal]?
    }

    /// A match of which the file tells too little, or of which its goals and its score tell
    /// different things, is left out, and so is one that has another one's id.
    static func matches(_ file: SourceFile) throws(ConversionError) -> Converted {
        let tournament = try file.decode(
            Tournament.self, expected: "a tournament, such as worldcup.json of openfootball")
        let games = tournament.matches ?? tournament.rounds?.flatMap(\.matches) ?? []
        guard !games.isEmpty else {
            throw file.refusal("has no 'matches'; give a tournament with some")
        }
        var converted = Converted()
        var taken: Set<ByteKey> = []
        for game in games {
            let name = ConvertedMatch.name(game.date, game.team1.name, game.team2.name)
            do throws(ConversionError) {
                guard !taken.contains(ByteKey(name)) else {
                    throw ConversionError(
                        reason: "has the day and the teams of a match before it in the file; put "
                            + "the date of one of them right")
                }
                let made = try Converted(try game.match(of: tournament.name))
                converted.events += made.events
                converted.assumed += made.assumed
                taken.insert(ByteKey(name))
                for reason in game.assumptions {
                    converted.assumed.append(Converted.Remark(subject: name, reason: reason))
                }
            } catch {
                converted.leftOut.append(Converted.Remark(subject: name, reason: error.reason))
            }
        }
        return converted
    }
}
