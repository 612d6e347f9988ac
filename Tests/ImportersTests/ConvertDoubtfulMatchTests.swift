import Domain
import Foundation
import JSON
import Projections
import Terminal
import Testing

@testable import Importers
@testable import islet

extension `Converting matches of football` {
    @Test(arguments: [["sb-20"], ["sb-21"], ["sb-20", "sb-21"]], ["45:30.000", "45:30.480"])
    func `counts an own goal once, whichever of its two rows names the other`(
        named: [String], time: String
    ) throws {
        var rows = try Self.file("statsbomb/900001.json")
        for id in named {
            rows = try rows.with("", for: #", "related_events": ["\#(id)"]"#)
        }
        rows = try rows.with(
            #""timestamp": "00:\#(time)", "type": {"id": 1, "name": "Own Goal Against"}"#,
            for: #""timestamp": "00:45:30.000", "type": {"id": 1, "name": "Own Goal Against"}"#)
        let goals = try StatsBomb.converted(rows, nil, Self.full).events.filter {
            $0.data["kind"] == .string("ownGoal")
        }
        // The other has a row of the side alone that profits.
        #expect(goals.map { $0.data["goalID"] } == [.string("sb-21"), .string("sb-29")])
        #expect(goals.map { $0.data["player"] } == [.string("Per Holm"), nil])
    }

    @Test(
        arguments: [
            (nil, "its goals make 3–3, its score says 4–3"),
            ("Žabák United", "its goals make 3–3, its score says 3–4"),
        ] as [(String?, String)])
    func `says when the list has another score than the goals make`(
        home: String?, reason: String
    ) throws {
        let rows = try Self.file("statsbomb/900001.json")
        let season = try Self.file("statsbomb/season.json")
        var heading = MatchHeading()
        heading.home = home
        let wrong = try season.with(#""home_score": 4"#, for: #""home_score": 3"#)
        #expect(throws: ConversionError(reason: reason)) {
            try StatsBomb.converted(rows, wrong, heading)
        }
        let unknown = try season.with(#""home_score": null"#, for: #""home_score": 3"#)
        #expect(try !StatsBomb.converted(rows, unknown, heading).events.isEmpty)
    }

    /// The set's list has the goals of 90 minutes.
    @Test func `says when the list of Wyscout has another score after 90 minutes`() throws {
        let match = try Self.file("wyscout/900002.json")
        let wrong = try Self.file("wyscout/matches.json").with(
            #""side": "home", "score": 1"#, for: #""side": "home", "score": 2"#)
        #expect(throws: ConversionError(reason: "its goals make 2–2, its score says 1–2")) {
            try Wyscout.converted(match, wrong, MatchHeading())
        }
    }

    /// What is said of a match that has no full time; nil when it has.
    private static func doubt(_ converted: Converted) -> String? {
        let isOver = converted.events.contains { $0.type == "Match.FullTimeReached" }
        #expect(isOver == converted.assumed.isEmpty)
        #expect(converted.assumed.allSatisfy { $0.subject == converted.events.first?.subject })
        return converted.assumed.first?.reason
    }

    @Test(arguments: [
        // The first half, a part of the second one, a part of the first one of extra time.
        (11, "it has no second half"), (16, "its last period has no row of type Half End"),
        (24, "its last period has no row of type Half End"),
    ])
    func `leaves full time out of a match whose rows end before, and says so`(
        count: Int, reason: String
    ) throws {
        let whole = try Self.file("statsbomb/900001.json")
        let lines = String(decoding: whole.contents, as: UTF8.self).split(separator: "\n")
        let rows = lines.dropFirst().prefix(count).joined(separator: "").dropLast()
        let cut = SourceFile(path: whole.path, contents: Data("[\(rows)]".utf8))
        let converted = try StatsBomb.converted(
            cut, Self.file("statsbomb/season.json"), MatchHeading())
        #expect(Self.doubt(converted) == "is not over, for \(reason); its full time is left out")
    }

    @Test func `leaves full time out of a match of Wyscout without a second half`() throws {
        let match = try Self.file("wyscout/900002.json").with(#""1H""#, for: #""2H""#)
        let converted = try Wyscout.converted(
            match, Self.file("wyscout/matches.json"), MatchHeading())
        #expect(
            Self.doubt(converted)
                == "is not over, for it has no second half; its full time is left out")
    }

    @Test func `leaves full time out of a match that the list does not have as over`() async throws
    {
        let rows = try Self.file("statsbomb/900001.json")
        let list = try Self.file("statsbomb/season.json").with("abandoned", for: "available")
        let converted = try StatsBomb.converted(rows, list, MatchHeading())
        #expect(
            Self.doubt(converted)
                == "is not over, for its match_status is 'abandoned'; its full time is left out")
        let path = NSTemporaryDirectory() + "islet-convert-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try list.contents.write(to: URL(filePath: path))
        let convert = [
            "replay", "convert", rows.path, "--from", "statsbomb", "--matches", path,
        ]
        #expect(await Islet.commandSet.run(convert, environment: [:]) == 0)
        #expect(await Islet.commandSet.run(convert + ["--strict"], environment: [:]) == 1)
    }

    @Test func `names a match of StatsBomb by the day of its list, whatever the zone`() throws {
        let rows = try Self.file("statsbomb/900001.json")
        let list = try Self.file("statsbomb/season.json")
        var heading = Self.full
        heading.kickoff = Moment(rfc3339: "2026-05-02T01:30:00Z")
        func subject(_ list: SourceFile?) throws -> String? {
            try StatsBomb.converted(rows, list, heading).events.first?.subject
        }
        #expect(try subject(list) == "2026-05-01-sturmhafen-zabak-united")
        #expect(try subject(nil) == "2026-05-02-sturmhafen-zabak-united")
        let unknown = try list.with(#""match_date": "soon""#, for: #""match_date": "2026-05-01""#)
        #expect(try subject(unknown) == "2026-05-02-sturmhafen-zabak-united")
    }

    @Test func `takes no file that is packed or in UTF-16`() throws {
        let text = String(
            decoding: try Self.file("statsbomb/900001.json").contents, as: UTF8.self)
        let encoding = "is not UTF-8; save it as JSON in UTF-8"
        let gzip = "is packed by gzip; unpack it first"
        let forms: [(Data?, String)] = [
            (text.data(using: .utf16), encoding), (text.data(using: .utf16LittleEndian), encoding),
            (text.data(using: .utf16BigEndian), encoding), (Data([0x1F, 0x8B, 8, 0]), gzip),
            (Data([0x50, 0x4B, 3, 4, 20]), "is packed by zip; unpack it first"),
        ]
        for (contents, reason) in forms {
            let file = SourceFile(path: "900001.json", contents: try #require(contents))
            #expect(throws: ConversionError(path: file.path, reason: reason)) {
                try StatsBomb.converted(file, nil, Self.full)
            }
        }
        let packed = Data([0x1F, 0x8B, 8, 0])
        let mapping = #"""
            {"subject": "a", "events": [{"type": "Match.FullTimeReached", "time": "b"}]}
            """#
        #expect(throws: ConversionError(reason: gzip)) {
            try CSVMapping(Data(mapping.utf8)).converted(packed)
        }
        #expect(throws: ConversionError(reason: "the mapping \(gzip)")) { try CSVMapping(packed) }
    }
}
