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

struct `Converting tournaments of openfootball` {
    private static let tests = ProjectFiles.url("Tests")

    private static let folders = [
        "forms": "ImportersTests/Fixtures", "worldcup-2022": "ProjectionsTests/Fixtures",
        "euro-2020": "ProjectionsTests/Fixtures",
    ]

    private static func file(_ name: String) throws -> SourceFile {
        let url = tests.appending(path: "\(folders[name] ?? "")/openfootball/\(name).json")
        return SourceFile(path: url.path, contents: try Data(contentsOf: url))
    }

    /// What a card shows once all events are folded.
    private static func end(
        of events: [ConvertedEvent]
    ) throws -> MatchAttributes.ContentState {
        var snapshot: Snapshot?
        for event in events.recorded {
            snapshot = try ActivityCatalog.standard.fold(event, into: snapshot).snapshot
        }
        return try WireCoder.decode(
            MatchAttributes.ContentState.self, from: try #require(snapshot).contentState)
    }

    @Test(arguments: [("worldcup-2022", 13), ("euro-2020", 11), ("forms", 7)])
    func `gives every match the score that its file states`(name: String, count: Int) throws {
        let file = try Self.file(name)
        let converted = try OpenFootball.matches(file)
        let subjects = Dictionary(grouping: converted.events, by: \.subject)
        #expect(subjects.count == count)
        let text = try #require(
            try JSONSerialization.jsonObject(with: file.contents) as? [String: Any])
        let rounds = text["rounds"] as? [[String: Any]] ?? [text]
        let games = rounds.flatMap { $0["matches"] as? [[String: Any]] ?? [] }
        #expect(games.count == count + converted.leftOut.count)
        for game in games {
            func team(_ key: String) -> String {
                game[key] as? String ?? (game[key] as? [String: Any])?["name"] as? String ?? ""
            }
            let subject = ConvertedMatch.name(
                game["date"] as? String ?? "", team("team1"), team("team2"))
            guard let events = subjects[subject] else {
                #expect(converted.leftOut.contains { $0.subject == subject }, "\(subject)")
                continue
            }
            #expect(events.map(\.time) == events.map(\.time).sorted(), "\(subject)")
            let score = game["score"] as? [String: [Int]] ?? ["ft": game["score"] as? [Int] ?? []]
            let shown = try Self.end(of: events)
            #expect([shown.homeScore, shown.awayScore] == score["et"] ?? score["ft"], "\(subject)")
            #expect(
                [shown.shootoutHome, shown.shootoutAway].compactMap(\.self) == score["p"] ?? [],
                "\(subject)")
            #expect(shown.status == .finished)
        }
    }

    @Test func `names what it leaves out, and why`() throws {
        #expect(
            try OpenFootball.matches(Self.file("forms")).leftOut.map {
                "\($0.subject) \($0.reason)"
            }
                == [
                    "1998-06-10-brazil-scotland has no goals to its score of 2–1",
                    "1938-06-05-sweden-austria has no score",
                ])
        #expect(
            try OpenFootball.matches(Self.file("euro-2020")).leftOut.map(\.reason)
                == ["its goals make 4–0, its score says 0–4"])
    }

    @Test func `reads a minute in each of its forms`() throws {
        let goals = try OpenFootball.matches(Self.file("forms")).events
            .filter { $0.type == "Match.GoalScored" }.prefix(6)
        #expect(
            goals.map { [$0.data["minute"], $0.data["addedMinutes"]] } == [
                [.integer(92), nil], [.integer(120), nil], [.integer(120), .integer(1)],
                [.integer(42), nil], [.integer(54), nil], [.integer(17), nil],
            ])
    }

    /// One match of a tournament, with these members beside its teams and its date; at five in the
    /// afternoon unless they say when.
    private static func tournament(_ members: String) -> SourceFile {
        let time = members.contains(#""time""#) ? "" : #" "time": "17:00 UTC","#
        let text = """
            {"name": "Cup", "matches": [{"date": "2026-05-01",\(time) "team1": "Žabák",
             "team2": "Holm", \(members)}]}
            """
        return SourceFile(path: "cup.json", contents: Data(text.utf8))
    }

    @Test(arguments: [
        (#""time": "17:00 UTC-3""#, "2026-05-01T20:00:00Z"),
        (#""time": "20:00 UTC-6""#, "2026-05-02T02:00:00Z"),
        (#""time": "20:45 CET""#, "2026-05-01T19:45:00Z"),
        (#""time": "15:30 UTC+5:30""#, "2026-05-01T10:00:00Z"),
        (#""time": "19:45 UTC±0""#, "2026-05-01T19:45:00Z"),
        (#""time": "9:30""#, "2026-05-01T09:30:00Z"),
        (#""time": null"#, "2026-05-01T12:00:00Z"),
    ])
    func `reads the zone of a kick-off, and keeps the day of the place`(
        time: String, kickoff: String
    ) throws {
        let file = Self.tournament(time + #", "score": {"ft": [0, 0]}"#)
        let first = try #require(try OpenFootball.matches(file).events.first)
        #expect(first.data["kickoff"] == .string(kickoff))
        #expect(first.subject == "2026-05-01-zabak-holm")
    }

    @Test(arguments: [
        (#""score": null"#, "has no score"),
        (#""score": {"ht": [0, 0]}"#, "has no score"),
        (#""score": {"ft": [1]}"#, "its score is not of two numbers"),
        (#""score": [0, 0], "time": "25:00""#, "its time '25:00' is none such as 17:00 or"),
        (#""score": [0, 0], "time": "noon""#, "its time 'noon' is none such as 17:00 or"),
        (#""score": [0, 0], "time": "\u001B[2J""#, "its time ' [2J' is none such as 17:00 or"),
        (#""score": [0, 0], "date": "1 May""#, "its date '1 May' is none such as 2026-06-11"),
        (
            #""score": [1, 0], "goals1": [{"minute": 9, "offset": 9223372036854775807}]"#,
            "its minute 9+9223372036854775807 is none such as 90 or 90+3"
        ),
        (#""score": [1, 0], "goals1": [{"minute": "half"}]"#, "its minute half is none such as"),
        (#""score": [1, 0], "goals1": [{"minute": "\u0007?"}]"#, "its minute  ? is none such as"),
        (#""score": [1, 0], "goals1": [{"minute": 180}]"#, "its minute 180 is beyond its last"),
        (#""score": {"ft": [0, 0], "p": [99, 98]}"#, "its shoot-out has more than 100 kicks"),
        (#""score": {"ft": [0, 0], "p": [4, 4]}"#, "its shoot-out is level at 4–4"),
        (
            #""score": {"ft": [0, 0], "p": [0, 9223372036854775807]}"#,
            "its shoot-out has more than 100 kicks"
        ),
        (
            #""score": {"ft": [0, 0], "et": [1, 0]}, "goals1": [{"minute": 9}]"#,
            "its goals make 1–0, its score says 0–0"
        ),
        (
            #""score": [1, 0], "goals1": [{"minute": 9, "name": "A\nB"}]"#,
            "its goal of minute 9: `player` must be"
        ),
    ])
    func `leaves out what does not fit together`(members: String, reason: String) throws {
        // Of a member that is there twice the decoder takes the first.
        var file = Self.tournament(members)
        if members.contains("date") {
            let text = String(decoding: file.contents, as: UTF8.self)
            file.contents = Data(text.replacing(#""date": "2026-05-01", "#, with: "").utf8)
        }
        let converted = try OpenFootball.matches(file)
        #expect(converted.events.isEmpty)
        let said = converted.leftOut.map(\.reason)
        #expect(said.count == 1 && said[0].contains(reason), "\(said)")
    }

    @Test(
        arguments: [
            // A file that tells of 90+5 does not call a minute before that 91.
            (
                #""score": [1, 2], "goals1": [{"minute": "90+5", "name": "Late"}],"#
                    + #" "goals2": [{"minute": 97, "name": "Last"},"#
                    + #" {"minute": 91, "name": "First"}]"#,
                ["Late", "First", "Last"], [5, 6, 12],
                "has goals at 91', 97' and states no extra time; they are taken for added time, "
                    + "from 90+6 on"
            ),
            (
                #""score": [0, 1], "goals2": [{"minute": 93, "name": "First"}]"#, ["First"], [3],
                "has goals at 93' and states no extra time"
            ),
            // With extra time, they are of another period.
            (
                #""score": {"ft": [1, 0], "et": [1, 2]}, "goals1": [{"minute": 90, "offset": 5,"#
                    + #" "name": "Late"}], "goals2": [{"minute": 97, "name": "Last"},"#
                    + #" {"minute": 91, "name": "First"}]"#,
                ["Late", "First", "Last"], [5, nil, nil], nil
            ),
            (
                #""score": [1, 0], "goals1": [{"minute": 90, "offset": 5, "name": "Late"}]"#,
                ["Late"], [5], nil
            ),
        ] as [(String, [String], [Int?], String?)])
    func `says that goals after 90 are taken for added time, and puts them in order`(
        members: String, players: [String], added: [Int?], assumption: String?
    ) throws {
        let converted = try OpenFootball.matches(Self.tournament(members))
        let goals = converted.events.filter { $0.type == "Match.GoalScored" }
        #expect(goals.map { $0.data["player"] } == players.map { .string($0) })
        #expect(goals.map { $0.data["addedMinutes"] } == added.map { $0.map { JSON.integer($0) } })
        #expect(goals.map(\.time) == goals.map(\.time).sorted())
        #expect(converted.assumed.count == (assumption == nil ? 0 : 1))
        if let assumption {
            #expect(converted.assumed[0].reason.hasPrefix(assumption))
            #expect(converted.remarks[0].hasPrefix("assumed: 2026-05-01-zabak-holm has goals"))
        }
    }

    @Test func `says that a match without a time is taken to begin at noon`() throws {
        let converted = try OpenFootball.matches(
            Self.tournament(#""time": null, "score": [1, 0], "goals1": [{"minute": 93}]"#))
        #expect(converted.assumed.count == 2)
        #expect(
            converted.remarks.first
                == "assumed: 2026-05-01-zabak-holm has no time; its kick-off is taken for 12:00 "
                + "UTC. Say it in the file: \"time\": \"17:00 UTC-3\"")
    }

    @Test(arguments: [
        ("ABANDONED", false), ("awarded", false), ("Finished", true), ("REPLAY", true),
    ])
    func `leaves full time out of a match whose status is none of a finished one`(
        status: String, isOver: Bool
    ) throws {
        let converted = try OpenFootball.matches(
            Self.tournament(#""score": [0, 0], "status": "\#(status)""#))
        #expect(converted.events.contains { $0.type == "Match.FullTimeReached" } == isOver)
        let reason = "is not over, for its status is '\(status)'; its full time is left out"
        #expect(converted.assumed.map(\.reason) == (isOver ? [] : [reason]))
    }

    @Test func `converts a level shoot-out of a match that was not finished`() throws {
        let converted = try OpenFootball.matches(
            Self.tournament(#""score": {"ft": [0, 0], "p": [4, 4]}, "status": "ABANDONED""#))
        #expect(converted.leftOut.isEmpty && converted.assumed.count == 1)
        #expect(!converted.events.contains { $0.type == "Match.FullTimeReached" })
    }

    @Test func `tells matches of a day apart in any script, unless their teams are the same`()
        throws
    {
        let games = [
            ("Спартак", "Зенит"), ("Динамо", "Ростов"), ("Tromsø", "Žabák"), ("Спартак", "Зенит"),
            // The same once more, with a letter of its own for the mark.
            ("Йорк", "Зенит"), ("И\u{306}орк", "Зенит"),
        ].map {
            #"{"date": "2026-05-01", "team1": "\#($0.0)", "team2": "\#($0.1)", "score": [0, 0]}"#
        }
        let text = #"{"name": "Cup", "matches": [\#(games.joined(separator: ", "))]}"#
        let converted = try OpenFootball.matches(
            SourceFile(path: "cup.json", contents: Data(text.utf8)))
        let subjects = Set(converted.events.map(\.subject))
        #expect(
            subjects == [
                "2026-05-01-спартак-зенит", "2026-05-01-динамо-ростов", "2026-05-01-tromsø-zabak",
                "2026-05-01-йорк-зенит",
            ])
        #expect(Set(converted.events.map(\.id)).count == converted.events.count)
        #expect(
            converted.leftOut.map(\.subject)
                == ["2026-05-01-спартак-зенит", "2026-05-01-йорк-зенит"])
        #expect(converted.leftOut[0].reason.hasPrefix("has the day and the teams of a match"))
    }

    @Test func `converts all that a file says or, when strict, nothing`() async throws {
        let late = #""score": [1, 0], "goals1": [{"minute": 93}]"#
        let well = #""score": [1, 0], "goals1": [{"minute": 9}]"#
        let timeless = #""time": null, "score": [0, 0]"#
        for (members, code) in [(late, Int32(1)), (timeless, 1), (well, 0)] {
            let file = NSTemporaryDirectory() + "islet-convert-\(UUID().uuidString).json"
            defer { try? FileManager.default.removeItem(atPath: file) }
            try Self.tournament(members).contents.write(to: URL(filePath: file))
            let convert = ["replay", "convert", file, "--from", "openfootball"]
            #expect(await Islet.commandSet.run(convert, environment: [:]) == 0)
            #expect(await Islet.commandSet.run(convert + ["--strict"], environment: [:]) == code)
        }
    }

    @Test func `says where a file is of another form, and when nothing is left`() async throws {
        for (members, reason) in [
            (#""score": 5"#, "'matches', row 1, 'score' is of another form; give a tournament"),
            (#""goals1": [{}]"#, "'matches', row 1, 'goals1', row 1 has no 'minute'; give a"),
            (#""score": {"ft": [1.5, 0]}"#, "has a number with a fraction, or of more than 64 "),
            (#""score": {"ft": [99999999999999999999, 0]}"#, "has a number with a fraction, or of"),
        ] {
            let error = #expect(throws: ConversionError.self) {
                try OpenFootball.matches(Self.tournament(members))
            }
            #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        }
        let path = try Self.file("forms").path
        let convert = ["replay", "convert", path, "--from", "openfootball", "--only"]
        #expect(await Islet.commandSet.run(convert + ["brazil-scotland"], environment: [:]) == 1)
        #expect(await Islet.commandSet.run(convert + ["italy-northern"], environment: [:]) == 0)
    }
}
