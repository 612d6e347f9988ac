import Domain
import Foundation
import JSON
import Projections
import ServerClient
import Testing

@testable import Demo

/// What the demo plays, folded as the server folds it.
struct MatchClockTests {
    private let begin = Moment(unixSeconds: 1_800_000_000)

    /// The Lock Screen when the derby's first goal is reported, in the 18th minute.
    private func lockScreen(atSpeed speed: Double) throws -> [String] {
        let fixture = try Fixture.load("harbour-derby")
        var fold: AssessingFold?
        var position: Int64 = 0
        for report in Fixture.sideBySide([fixture], begin: begin, speed: speed) {
            let json = try JSONParser.parse(Array(report.cloudEvent))
            let now = begin.adding(seconds: report.seconds / speed)
            position += 1
            let event = RecordedEvent(
                tenant: TenantID(rawValue: 1), position: position, version: position,
                recordedAt: now,
                event: NewEvent(
                    id: try #require(json["id"]?.text), source: "/demo", type: report.type,
                    activityID: ActivityID(rawValue: report.activity),
                    occurredAt: try #require(json["time"]?.text.flatMap { Moment(rfc3339: $0) }),
                    data: Data(try #require(json["data"]).canonicalBytes)))
            let known = fold
            let next = try event.withBorrowedEvent { (event) throws(FoldError) in
                let next: AssessingFold
                if let known { next = known } else { next = try AssessingFold(.first(event)) }
                _ = try next.fold(event)
                return next
            }
            fold = next
            if report.type == "Match.GoalScored" {
                let shown = try ActivityCatalog.standard.presentation(of: next.snapshot())
                return shown.lockScreen.map { $0.reading(at: now) }
            }
        }
        return []
    }

    @Test(arguments: [1.0, 60, 200, 2000])
    func `a goal of the 18th minute shows the 18th minute`(speed: Double) throws {
        let shown = try lockScreen(atSpeed: speed)
        #expect(shown.first == "Harbour City 1–0 Northgate")
        // A card's clock goes to the second.
        #expect(["First half 17:19", "First half 17:20", "First half 17:21"].contains(shown[1]))
    }

    @Test func `what is repeated is the same, and readings have ids of their own`() throws {
        let fixture = try Fixture.load("world-cup-2022-final")
        let reports = Fixture.sideBySide([fixture], begin: begin, speed: 60)
        var known: [String: Data] = [:]
        for report in reports {
            let id = try #require(try JSONParser.parse(Array(report.cloudEvent))["id"]?.text)
            #expect(known[id] == nil || known[id] == report.cloudEvent)
            known[id] = report.cloudEvent
        }
        #expect(reports.count - known.count == 1)
        #expect(reports.count > 52)
    }
}
