import DeliveryRules
import Domain
import Foundation
import Projections
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
            let pace = decision.order.map { " \($0.treatment)" } ?? ""
            let worth = decision.significance.map { " (\($0))" } ?? ""
            counts["\(decision.verdict) \(decision.rule)\(pace)\(worth)", default: 0] += 1
        }
        #expect(counts.values.reduce(0, +) == events.count)
        return ["\(title): \(events.count) changes"]
            + counts.sorted { $0.key < $1.key }.map { "  \($0.value) \($0.key)" }
    }

    @Test func `the stories of the project have the ledger that was looked at`() throws {
        let lines = try Fixture.all.flatMap { try table($0, Fixture.recorded($0)) }
        try Golden.check("ledgers.txt", by: .rules, lines)
    }

    /// The log of one activity in the end: reports and, before and after them, what the clock
    /// brings about in time.
    private func withClock(
        _ reports: [(event: NewEvent, recordedAt: Moment)]
    ) throws -> [RecordedEvent] {
        var story = Story()
        for report in reports {
            while let due = story.due, due.occurredAt <= report.recordedAt {
                try story.waitForClock()
            }
            try story.tell(report.event, recordedAt: report.recordedAt)
        }
        try story.waitForEver()
        return story.events
    }

    /// Air freight takes days and a Live Activity eight hours at most, so a minute of that set
    /// stands for a second: then most of it is here within two hours, like a meal.
    @Test(.needsSharedData)
    func `real deliveries have the ledger that was looked at`() throws {
        let freight = try Cargo2000.shipments().prefix(200).map { shipment in
            shipment.events(from: Story.start, secondsPerMinute: 1)
                .map { (event: $0, recordedAt: $0.occurredAt) }
        }
        let health = try HealthShipments.shipments().prefix(200).map { $0.events() }
        var lines: [String] = []
        for (title, logs) in [("air freight", freight), ("health commodities", health)] {
            let table = try table(
                "\(title), \(logs.count) shipments", logs.flatMap { try withClock($0) })
            // Each ends once, whatever brings it about.
            let ends = table.filter { $0.contains(" end ") }
                .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
            #expect(ends.reduce(0, +) == logs.count, "\(title)")
            lines += table
        }
        try Golden.check("ledgers-of-deliveries.txt", by: .rules, lines)
    }

    @Test(.needsSharedData)
    func `four whole matches have the ledger that was looked at`() throws {
        let football = Wyscout(folder: "football/wyscout")
        let lines = try [1_694_440, 1_694_426, 1_694_424, 1_694_429].flatMap { number in
            let match = try football.fullStream(number) { $0.seq }
            return try table("match \(number)", Fixture.number(match.events))
        }
        try Golden.check("ledgers-of-full-streams.txt", by: .rules, lines)
        let alerting = lines.filter { $0.contains(" alert ") || $0.contains(" end ") }
        for line in alerting {
            let rules = [
                "goal", "goalDisallowed", "redCard", "halfTime", "extraTime", "shootout",
                "fullTime",
            ]
            #expect(rules.contains { line.contains(" \($0) ") }, "\(line)")
        }
    }
}
