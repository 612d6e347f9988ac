import Domain
import Foundation
import JSON
import ProjectFiles
import Projections
import Terminal
import TestSupport
import Testing

@testable import Importers
@testable import islet

extension SourceFile {
    /// The same with this in place of that.
    func with(_ this: String, for that: String) throws -> SourceFile {
        let text = String(decoding: contents, as: UTF8.self)
        try #require(text.contains(that), "\(that)")
        return SourceFile(path: path, contents: Data(text.replacing(that, with: this).utf8))
    }
}

struct `Converting matches of football` {
    private static let folder = ProjectFiles.url("Tests/ImportersTests/Fixtures")

    static func file(_ name: String) throws -> SourceFile {
        let url = folder.appending(path: name)
        return SourceFile(path: url.path, contents: try Data(contentsOf: url))
    }

    /// The match that both publishers tell of.
    private static func events(_ format: String) throws -> [ConvertedEvent] {
        if format == "statsbomb" {
            return try StatsBomb.converted(
                file("statsbomb/900001.json"), file("statsbomb/season.json"), MatchHeading()
            ).events
        }
        return try Wyscout.converted(
            file("wyscout/900002.json"), file("wyscout/matches.json"), MatchHeading()
        ).events
    }

    @Test(arguments: ["statsbomb", "wyscout"])
    func `folds to the scores of the match at each of its breaks`(format: String) throws {
        let events = try Self.events(format).recorded
        #expect(events.map(\.event.occurredAt) == events.map(\.event.occurredAt).sorted())
        var snapshot: Snapshot?
        var scores: [[Int]] = []
        for event in events {
            snapshot = try ActivityCatalog.standard.fold(event, into: snapshot).snapshot
            let shown = try WireCoder.decode(
                MatchAttributes.ContentState.self, from: try #require(snapshot).contentState)
            if event.event.type == "Match.PeriodEnded" {
                scores.append([shown.homeScore, shown.awayScore])
            }
            if event.event.type == "Match.FullTimeReached" {
                scores.append([shown.shootoutHome ?? 0, shown.shootoutAway ?? 0])
                #expect(shown.status == .finished)
            }
        }
        #expect(scores == [[1, 0], [2, 2], [3, 2], [3, 3], [2, 1]])
        #expect(snapshot?.activityID.rawValue == "2026-05-01-sturmhafen-zabak-united")
        // The result is shown, and the card's end follows after the grace.
        let whole = try #require(snapshot)
        #expect(whole.phase == .live)
        #expect(try ActivityCatalog.standard.nextDue(whole) != nil)
    }

    @Test(arguments: ["statsbomb", "wyscout"])
    func `makes events that a server takes, and the same ones each time`(format: String) throws {
        let events = try Self.events(format)
        #expect(try Self.events(format) == events)
        #expect(Set(events.map(\.id)).count == events.count)
        for event in events.map(\.event) {
            try ActivityCatalog.standard.validate(
                type: event.type, schemaVersion: event.schemaVersion, data: event.data)
        }
    }

    private static func data(
        _ type: String, of format: String
    ) throws -> [[String: JSON]] {
        try events(format).filter { $0.type == "Match.\(type)" }.map(\.data)
    }

    @Test func `tells of goals, cards, changes and kicks what StatsBomb does`() throws {
        let goals = try Self.data("GoalScored", of: "statsbomb")
        #expect(
            goals.map { $0["kind"] } == [
                .string("openPlay"), .string("penalty"), .string("ownGoal"), .string("openPlay"),
                .string("openPlay"), .string("ownGoal"),
            ])
        #expect(
            goals[2] == [
                "goalID": .string("sb-21"), "kind": .string("ownGoal"), "team": .string("away"),
                "player": .string("Per Holm"), "minute": .integer(90), "addedMinutes": .integer(1),
            ])
        #expect(goals[5]["player"] == nil && goals[5]["team"] == .string("away"))
        let cards = try Self.data("CardShown", of: "statsbomb").map { $0["card"] }
        #expect(cards == [.string("yellow"), .string("secondYellow"), .string("red")])
        let changes = try Self.data("PlayerSubstituted", of: "statsbomb")
        // A name is cut to what an event may have.
        #expect(
            changes == [
                [
                    "team": .string("home"), "playerOff": .string("Ida Moor"),
                    "playerOn": .string(
                        "Maximiliana Theodora Konstantinopolitanskaya von Hohenfels-A"),
                    "minute": .integer(46),
                ]
            ])
        let kicks = try Self.data("ShootoutKickTaken", of: "statsbomb")
        #expect(kicks.map { $0["number"] } == (1...5).map { JSON.integer($0) })
        #expect(
            kicks.map { $0["result"] } == [
                .string("scored"), .string("saved"), .string("missed"), .string("scored"),
                .string("scored"),
            ])
    }

    @Test func `tells of goals, cards, changes and kicks what Wyscout does`() throws {
        let goals = try Self.data("GoalScored", of: "wyscout")
        #expect(
            goals.map { $0["kind"] } == [
                .string("openPlay"), .string("penalty"), .string("ownGoal"), .string("openPlay"),
                .string("openPlay"), .string("ownGoal"),
            ])
        #expect(goals[2]["team"] == .string("away") && goals[2]["player"] == .string("Per Holm"))
        let cards = try Self.data("CardShown", of: "wyscout").map { $0["card"] }
        #expect(cards == [.string("yellow"), .string("secondYellow"), .string("red")])
        #expect(
            try Self.data("PlayerSubstituted", of: "wyscout") == [
                [
                    "team": .string("home"), "playerOff": .string("Lea Brandt"),
                    "playerOn": .string("Zoë Marr"), "minute": .integer(46),
                ],
                [
                    "team": .string("away"), "playerOff": .string("Olin Vask"),
                    "playerOn": .string("Tom Ruud"), "minute": .integer(120),
                    "addedMinutes": .integer(2),
                ],
            ])
        #expect(
            try Self.data("ShootoutKickTaken", of: "wyscout").map { $0["result"] } == [
                .string("scored"), .string("notScored"), .string("notScored"), .string("scored"),
                .string("scored"),
            ])
    }

    @Test func `takes options instead of a list, and before one`() throws {
        let heading = MatchHeading(
            kickoff: Moment(rfc3339: "2027-01-02T20:00:00+01:00"), competition: "Winter Cup",
            home: "Žabák United")
        let expected: [String: JSON] = [
            "competition": .string("Winter Cup"), "homeTeam": .string("Žabák United"),
            "awayTeam": .string("Sturmhafen"), "kickoff": .string("2027-01-02T19:00:00Z"),
        ]
        let list = try Self.file("statsbomb/season.json")
        let rows = try Self.file("statsbomb/900001.json")
        #expect(try StatsBomb.converted(rows, list, heading).events.first?.data == expected)
        #expect(try StatsBomb.converted(rows, nil, heading).events.first?.data == expected)
        let match = try Self.file("wyscout/900002.json")
        #expect(try Wyscout.converted(match, nil, heading).events.first?.data == expected)
    }

    /// What a conversion of the fixture with this in place of that is refused for.
    private func refusal(
        _ format: String, _ this: String, for that: String, list: String? = nil,
        heading: MatchHeading = MatchHeading()
    ) throws -> String {
        let name = format == "statsbomb" ? "statsbomb/900001.json" : "wyscout/900002.json"
        let file = try Self.file(name).with(this, for: that)
        let matches = try list.map(Self.file)
        do throws(ConversionError) {
            if format == "statsbomb" {
                _ = try StatsBomb.converted(file, matches, heading)
            } else {
                _ = try Wyscout.converted(file, matches, heading)
            }
            return ""
        } catch { return "\(error.path ?? file.path): \(error.reason)" }
    }

    static let full = MatchHeading(
        kickoff: Moment(unixSeconds: 0), competition: "Cup", home: "Sturmhafen")

    @Test(
        arguments: [
            ("statsbomb", "", "]", "is not JSON; give one match's events, a file of data/events"),
            ("statsbomb", "[5,", "[", "row 1 is of another form; give one match's events"),
            ("statsbomb", #""x": 1"#, #""period": 1"#, "row 1 has no 'period'; give one match's"),
            ("statsbomb", #""period": 6"#, #""period": 4"#, "row 27: period 6 is none of 1 to 5"),
            (
                "statsbomb", #""period": -9223372036854775808"#, #""period": 4"#,
                "row 27: period -9223372036854775808 is none of 1 to 5"
            ),
            ("statsbomb", "11h20", "00:11:20.400", "row 6: timestamp '11h20' is no time within"),
            ("statsbomb", "Line-up", "Starting XI", "has 0 rows of type Starting XI, where"),
            (
                "statsbomb",
                #""timestamp": "00:01:00.000", "type": {"id": 1, "name": "Shot"}, "#
                    + #""team": {"id": 13, "name": "Third"}"#,
                #""timestamp": "00:01:00.000", "type": {"id": 1, "name": "Shot"}, "#
                    + #""team": {"id": 11, "name": "Sturmhafen"}"#,
                "row 35: team 'Third' is neither Sturmhafen nor Žabák United"
            ),
            ("wyscout", "", "{", "is not JSON; give one match with events, teams and players"),
            ("wyscout", #""rows""#, #""events""#, "has no 'events'; give one match with"),
            ("wyscout", #""x": 907"#, #""id": 907"#, "'events', row 1 has no 'id'; give one match"),
            ("statsbomb", "02:00:00", "00:11:20.400", "row 6: timestamp '02:00:00' is no time"),
            ("wyscout", "1e300", "1.25", "'events', row 1: eventSec 1e+300 is no time within"),
            (
                "statsbomb", #"\u001B11h20"#, "00:11:20.400",
                "row 6: timestamp ' 11h20' is no time within"
            ),
            ("wyscout", #""\u001BH""#, #""1H""#, "'events', row 1: matchPeriod ' H' is none of 1H"),
            ("wyscout", #""H1""#, #""1H""#, "'events', row 1: matchPeriod 'H1' is none of 1H, 2H"),
            (
                "wyscout", #""Simple pass", "teamId": 13"#, #""Simple pass", "teamId": 12"#,
                "'events', row 1: teamId 13 is neither 11, Sturmhafen, nor 12, Žabák United"
            ),
            // What a server refuses.
            ("statsbomb", #"Ada\tLind"#, "Ada Lind", "row 6: `player` must be a string of 1 to 60"),
            ("statsbomb", #"Ada\nLind"#, "Ada Lind", "row 6: `player` must be a string of 1 to 60"),
            (
                "statsbomb", String(repeating: "s", count: 65), "sb-06",
                "row 6: `goalID` must be a string of 1 to 64 bytes"
            ),
            ("statsbomb", #"Žabák\u2028U"#, "Žabák U", "`awayTeam` must be a string of 1 to 60"),
            ("wyscout", #"Ada\tLind"#, "Ada Lind", "'events', row 2: `player` must be a string"),
        ])
    func `says which row is wrong, and what to give instead`(
        format: String, this: String, that: String, reason: String
    ) throws {
        let said = try refusal(format, this, for: that, heading: Self.full)
        #expect(said.contains(".json: \(reason)"), "\(said)")
    }

    @Test(arguments: ["", " ", #"\u2028"#, #"\u00A0"#])
    func `leaves out a player whose name is blank, and a change with one`(name: String) throws {
        for format in ["statsbomb", "wyscout"] {
            func events(_ unnamed: String) throws -> [ConvertedEvent] {
                guard format == "wyscout" else {
                    let file = try Self.file("statsbomb/900001.json").with(name, for: unnamed)
                    return try StatsBomb.converted(file, nil, Self.full).events
                }
                let file = try Self.file("wyscout/900002.json").with(name, for: unnamed)
                let list = try Self.file("wyscout/matches.json")
                return try Wyscout.converted(file, list, Self.full).events
            }
            let goals = try events("Ada Lind").filter {
                $0.type == "Match.GoalScored" && $0.data["team"] == .string("home")
            }
            #expect(goals.count == 3 && goals.allSatisfy { $0.data["player"] == nil })
            let unnamed = format == "statsbomb" ? "Ida Moor" : "Lea Brandt"
            let changes = try events(unnamed).filter { $0.type == "Match.PlayerSubstituted" }
            #expect(changes.count == (format == "statsbomb" ? 0 : 1))
        }
    }

    @Test func `says that a file is in another encoding than UTF-8`() throws {
        var file = try Self.file("statsbomb/900001.json")
        while let range = file.contents.range(of: Data("á".utf8)) {
            file.contents.replaceSubrange(range, with: [0xE1])
        }
        let latin = file
        let error = #expect(throws: ConversionError.self) {
            try StatsBomb.converted(latin, nil, Self.full)
        }
        #expect(error?.reason == "is not UTF-8; save it as JSON in UTF-8")
    }

    @Test func `says what is missing, and which options give it`() throws {
        let same = "Sturmhafen"
        #expect(
            try refusal("statsbomb", same, for: same).contains(
                "when the match began; give --matches FILE or --kickoff with a time such as 2026"))
        #expect(
            try refusal("wyscout", same, for: same).contains(
                "which of Sturmhafen and Žabák United is at home; give --matches FILE or --home"))
        var heading = Self.full
        heading.competition = nil
        #expect(
            try refusal("wyscout", same, for: same, heading: heading).contains(
                "of what competition the match is; give --matches FILE or --competition NAME"))
        heading.home = "Sturmhaven"
        #expect(
            try refusal("statsbomb", same, for: same, heading: heading).contains(
                "is not a match of --home Sturmhaven; there is Sturmhafen and Žabák United"))
    }

    @Test func `says when a list is another one, or does not fit the match`() throws {
        let season = "statsbomb/season.json"
        #expect(
            try refusal("statsbomb", "12", for: "11", list: season).contains(
                "has 2 rows of type Starting XI"))
        #expect(
            try refusal("statsbomb", #""id": 14"#, for: #""id": 11"#, list: season).contains(
                "team 11 does not play in it"))
        #expect(
            try refusal("statsbomb", "x", for: "x", list: "wyscout/matches.json").contains(
                "matches.json: row 1 has no 'competition'; give a season's matches"))
        #expect(
            try refusal("wyscout", "7", for: "900002", list: "wyscout/matches.json").contains(
                "matches.json: has no match with wyId 7, of which the events are"))
        var other = try Self.file("statsbomb/900001.json")
        let list = try Self.file(season)
        for (name, reason) in [
            ("final", "has no match_id 'final', which the events' file is called"),
            ("900000", "does not say when the match began; give --kickoff with a time"),
        ] {
            other.path = "/somewhere/\(name).json"
            let error = #expect(throws: ConversionError.self) {
                try StatsBomb.converted(other, list, MatchHeading())
            }
            #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        }
    }

    @Test func `writes an export that the other replay commands read, once`() async throws {
        let place = NSTemporaryDirectory() + "islet-convert-\(UUID().uuidString).ndjson"
        defer {
            for suffix in ["", ".manifest.json"] {
                try? FileManager.default.removeItem(atPath: place + suffix)
            }
        }
        let match = try Self.file("wyscout/900002.json").path
        let list = try Self.file("wyscout/matches.json").path
        let convert = ["convert", match, "--from", "wyscout", "--matches", list, "--to", place]
        func run(_ words: [String]) async -> Int32 {
            await Islet.commandSet.run(["replay"] + words, environment: [:])
        }
        #expect(await run(convert) == 0)
        #expect(await run(["verify", "--from", place]) == 0)
        #expect(await run(["why", "2026-05-01-sturmhafen-zabak-united", "--from", place]) == 0)
        #expect(await run(convert) == 1)
        #expect(await run(convert + ["--only", "argentina"]) == 1)
        for words in [
            ["--mapping", "x"], ["--kickoff", "yesterday"], ["--home"],
        ] {
            #expect(await run(convert + words) == 2, "\(words)")
        }
        #expect(await run(["convert", match, "--from", "openfootball", "--home", "x"]) == 2)
        #expect(await run(["convert", "/nowhere.json", "--from", "statsbomb"]) == 1)
    }
}
