import Domain
import Foundation
import JSON
import Projections
import Testing

@testable import Importers

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
        let goals = try StatsBomb.events(rows, nil, Self.full).filter {
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
        #expect(throws: ConversionFault(reason: reason)) {
            try StatsBomb.events(rows, wrong, heading)
        }
        let unknown = try season.with(#""home_score": null"#, for: #""home_score": 3"#)
        #expect(try !StatsBomb.events(rows, unknown, heading).isEmpty)
    }

    /// The set's list has the goals of 90 minutes.
    @Test func `says when the list of Wyscout has another score after 90 minutes`() throws {
        let match = try Self.file("wyscout/900002.json")
        let wrong = try Self.file("wyscout/matches.json").with(
            #""side": "home", "score": 1"#, for: #""side": "home", "score": 2"#)
        #expect(throws: ConversionFault(reason: "its goals make 2–2, its score says 1–2")) {
            try Wyscout.events(match, wrong, MatchHeading())
        }
    }
}
