@testable import Archive
import Domain
import Foundation
import Replay
import Terminal
import Testing

@testable import islet

struct `The events commands` {
    @Test func `refuse what they cannot use with exit code 2`() async {
        for words in [
            ["events"], ["events", "export"], ["events", "import", "--tenant", "a"],
            ["events", "import", "--from", "somewhere"],
            ["events", "export", "--to", "x", "--until", "yesterday"],
            ["events", "export", "--to", "x", "--until", "2026-05-01T12:00:00"],
            ["events", "export", "--to", "x", "--after", "-1"],
            ["events", "export", "--to", "x", "--since", "yesterday"],
            ["events", "export", "--to", "x", "--since", "3", "--after", "2"],
            ["events", "import", "--from", "x", "--tenant", "two\nlines"],
            ["events", "export", "--to", "x", "--redact", "--redact-key-file", "y"],
        ] {
            #expect(await Islet.commandSet.run(words, environment: [:]) == 2, "\(words)")
        }
    }

    @Test func `export nothing from a place to its end without complaint`() throws {
        try ExportEnd.refuse(.number(5), before: .number(6), by: "--after")
        try ExportEnd.refuse(.number(5), before: .number(5), by: "--since")
        try ExportEnd.refuse(.moment(Moment(unixSeconds: 1)), before: .number(5), by: "--since")
        try ExportEnd.refuse(nil, before: .number(5), by: "--since")
    }

    @Test func `take a position or a time as the end`() throws {
        #expect(try ExportEnd.parse(nil) == nil)
        #expect(try ExportEnd.parse("17") == .number(17))
        #expect(
            try ExportEnd.parse("1970-01-01T01:00:01+01:00")
                == .moment(Moment(unixSeconds: 1)))
    }

    @Test(arguments: [(9, 0), (10, 1), (19, 1), (20, 3), (29, 3), (30, 4)] as [(Int64, Int64)])
    func `end with the last event that was recorded no later than a time`(
        seconds: Int64, last: Int64
    ) async throws {
        let times: [Int64] = [10, 20, 20, 30]
        let events = times.enumerated().map { index, seconds in
            RecordedEvent(
                tenant: TenantID(rawValue: 1), position: Int64(index + 1),
                version: Int64(index + 1), recordedAt: Moment(unixSeconds: seconds),
                event: NewEvent(
                    id: "\(index)", source: "/till", type: "PizzaDelivery.OrderAccepted",
                    activityID: ActivityID(rawValue: "order-1"),
                    occurredAt: Moment(unixSeconds: 0), data: Data("{}".utf8)))
        }
        let history = History(
            tenant: "pizzeria",
            end: { () async throws(ReplayError) in 4 },
            page: { (positions) async throws(ReplayError) in
                HistoryPage(events.filter { positions.contains($0.position) })
            },
            stream: { (_, _, _) async throws(ReplayError) in [] },
            policies: { () async throws(ReplayError) in [] },
            neighbours: { (_) async throws(ReplayError) in [] })
        let until = HistoryPlace.moment(Moment(unixSeconds: seconds))
        #expect(try await ExportEnd.position(until, in: history) == last)
        #expect(try await ExportEnd.position(.number(17), in: history) == 17)
        #expect(try await ExportEnd.position(nil, in: history) == nil)
    }
}
