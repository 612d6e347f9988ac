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
}
