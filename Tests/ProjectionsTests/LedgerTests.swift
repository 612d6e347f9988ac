import Domain
import Foundation
import Projections
import PushDispatch
import Testing

/// What becomes of whole stories: how many changes of each sort were alerted, shown or held, so
/// that a reader can judge whether a phone is bothered too much.
struct LedgerTests {
    private func table(_ title: String, _ events: [RecordedEvent]) throws -> [String] {
        var snapshots: [ActivityID: Snapshot] = [:]
        var counts: [String: Int] = [:]
        for event in events {
            let activity = event.event.activityID
            let step = try ActivityStep.apply(event, to: snapshots[activity])
            snapshots[activity] = step.snapshot
            let decision = step.decision
            let pace = decision.order.map { " \($0.step)" } ?? ""
            counts["\(decision.verdict) \(decision.rule)\(pace)", default: 0] += 1
        }
        #expect(counts.values.reduce(0, +) == events.count)
        return ["\(title): \(events.count) changes"]
            + counts.sorted { $0.key < $1.key }.map { "  \($0.value) \($0.key)" }
    }

    @Test func `the stories of the project have the ledger that was looked at`() throws {
        let lines = try Fixture.all.flatMap { try table($0, Fixture.recorded($0)) }
        try Golden.check("ledgers.txt", lines)
    }

    @Test(.needsSharedData)
    func `four whole matches have the ledger that was looked at`() throws {
        let football = Wyscout(folder: "football/wyscout")
        let lines = try [1_694_440, 1_694_426, 1_694_424, 1_694_429].flatMap { number in
            let match = try football.fullStream(number) { $0.seq }
            return try table("match \(number)", Fixture.number(match.events))
        }
        try Golden.check("ledgers-of-full-streams.txt", lines)
        let alerting = lines.filter { $0.contains(" alert ") || $0.contains(" end ") }
        for line in alerting {
            let rules = ["goal", "goalDisallowed", "redCard", "halfTime", "fullTime"]
            #expect(rules.contains { line.contains(" \($0) ") }, "\(line)")
        }
    }
}
