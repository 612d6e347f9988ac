import Domain
import EventStore
import Explaining
import Foundation
import Terminal
import Testing

@testable import Replay
@testable import islet

struct `The words of a decision` {
    @Test func `are its own, and those of earlier alerts only where its push sent them`() {
        var decision = Decision(
            activityID: ActivityID(rawValue: "a"), version: 2, position: 2, verdict: .alert,
            rule: "delay", reason: "Because.", alert: Alert(title: "Goal", body: "1–0"),
            contentState: Data("{}".utf8), decidedAt: Moment(unixSeconds: 0))
        decision.alertContext = AlertContext()
        decision.alertContext?.amendments = [
            AlertContext.Amendment(subject: "delay", alert: Alert(title: "Late", body: "By 8"))
        ]
        #expect(TimelineText.alert(of: decision) == " “Goal: 1–0”")
        let event = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 2, version: 2,
            recordedAt: decision.decidedAt,
            event: NewEvent(
                id: "1", source: "/kitchen", type: "PizzaDelivery.DriverAssigned",
                activityID: decision.activityID, occurredAt: decision.decidedAt,
                data: Data("{}".utf8)))
        var entry = Timeline.Entry(event: event)
        entry.ledger = LedgerRow(
            decision: decision,
            outcome: LedgerRow.Outcome(
                carriedBy: 2, timestamp: 9, accepted: 1, failed: 0,
                completedAt: decision.decidedAt))
        let sentence = "The alert of version 1 was sent in its words."
        #expect(!TimelineText.outcome(entry, LaterPushes()).contains(sentence))
        entry.text.reworded = [1]
        #expect(TimelineText.outcome(entry, LaterPushes()).contains(sentence))
        entry.text.outcome = .takenBack(by: 4)
        #expect(
            TimelineText.outcome(entry, LaterPushes()).contains(
                "Its text was not sent: version 4 withdrew it before the push."))
    }
}

struct `The summary of a timeline` {
    private func summary(_ phase: Phase, exportEnd: Int64?) -> String {
        let activity = ActivityID(rawValue: "order-1")
        let event = NewEvent(
            id: "1", source: "/kitchen", type: "PizzaDelivery.OrderAccepted",
            activityID: activity, occurredAt: Moment(unixSeconds: 0), data: Data("{}".utf8))
        let snapshot = Snapshot(
            activityID: activity, kind: "PizzaDelivery", version: 1, position: 1, phase: phase,
            state: Data(), attributes: Data(), contentState: Data(),
            updatedAt: Moment(unixSeconds: 0))
        let entry = Timeline.Entry(
            event: RecordedEvent(
                tenant: TenantID(rawValue: 1), position: 1, version: 1,
                recordedAt: event.occurredAt, event: event), snapshot: snapshot)
        return TimelineText(
            paint: Paint("never", isTerminal: false, environment: [:]), hasLedger: false
        ).summary(Timeline(activityID: activity, entries: [entry]), exportEnd: exportEnd)
    }

    @Test func `says that an export ends before the activity does`() {
        #expect(
            summary(.live, exportEnd: 160).hasSuffix(
                "The export ends at position 160, before order-1 has ended: if another export "
                    + "follows, give it too, by one more --from."))
        #expect(!summary(.ended, exportEnd: 160).contains("--from"))
        #expect(!summary(.live, exportEnd: nil).contains("--from"))
    }

    /// Files of somebody else's have no events of the clock, so a match of theirs stays live.
    @Test func `says nothing of an export's end where the clock alone has not ended a match`()
        async throws
    {
        let reports = [
            (
                "MatchScheduled",
                #"{"competition":"Cup","homeTeam":"A","awayTeam":"B","#
                    + #""kickoff":"1970-01-01T00:01:00Z"}"#
            ),
            ("PeriodStarted", #"{"period":"firstHalf"}"#), ("FullTimeReached", "{}"),
        ]
        func summary(of reports: ArraySlice<(String, String)>) async throws -> String {
            let match = ActivityID(rawValue: "match-1")
            let events = reports.enumerated().map { index, report in
                let time = Moment(unixSeconds: Int64(index) * 60)
                return RecordedEvent(
                    tenant: TenantID(rawValue: 1), position: Int64(index + 1),
                    version: Int64(index + 1), recordedAt: time,
                    event: NewEvent(
                        id: "\(index)", source: "/feed", type: "Match.\(report.0)",
                        activityID: match, occurredAt: time, data: Data(report.1.utf8)))
            }
            let end = Int64(events.count)
            let history = History(
                tenant: "feed", end: { () async throws(ReplayError) in end },
                page: { (positions) async throws(ReplayError) in
                    HistoryPage(events.filter { positions.contains($0.position) })
                },
                stream: { (_, after, _) async throws(ReplayError) in
                    events.filter { $0.version > after }
                },
                policies: { () async throws(ReplayError) in [] },
                neighbours: { (_) async throws(ReplayError) in [] })
            let timeline = try await Timeline.read(history, activity: match)
            #expect(timeline.entries.last?.snapshot?.phase == .live)
            return TimelineText(
                paint: Paint("never", isTerminal: false, environment: [:]), hasLedger: false
            ).summary(timeline, exportEnd: end)
        }
        #expect(try await summary(of: reports.prefix(2)).contains("--from"))
        #expect(try await !summary(of: reports[...]).contains("--from"))
    }
}

struct `A step` {
    @Test(arguments: [true, false])
    func `says what came of a decision where there is a ledger, and not in an export`(
        hasLedger: Bool
    ) {
        let decision = Decision(
            activityID: ActivityID(rawValue: "order-1"), version: 1, position: 1, verdict: .alert,
            rule: "delay", reason: "Because.", alert: Alert(title: "Late", body: "By 8"),
            contentState: Data("{}".utf8), decidedAt: Moment(unixSeconds: 0))
        let event = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 1, version: 1,
            recordedAt: decision.decidedAt,
            event: NewEvent(
                id: "1", source: "/kitchen", type: "PizzaDelivery.DriverAssigned",
                activityID: decision.activityID, occurredAt: decision.decidedAt,
                data: Data("{}".utf8)))
        let timeline = Timeline(
            activityID: decision.activityID,
            entries: [Timeline.Entry(event: event, recomputed: decision)], hasLedger: hasLedger)
        let screen = StepScreen(
            walk: TimelineWalk(timeline), size: (columns: 80, rows: 24),
            paint: Paint("never", isTerminal: false, environment: [:]))
        #expect(screen.lines.contains { $0.hasPrefix("decided") })
        #expect(screen.lines.contains { $0.hasPrefix("outcome") } == hasLedger)
    }
}

struct `A skipped event` {
    private let timeline: Timeline
    private let paint = Paint("never", isTerminal: false, environment: [:])

    init() {
        let activity = ActivityID(rawValue: "order-1")
        let event = NewEvent(
            id: "1", source: "/kitchen", type: "PizzaDelivery.DriverAssigned",
            activityID: activity, occurredAt: Moment(unixSeconds: 0), data: Data("{}".utf8))
        let recorded = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 1, version: 1,
            recordedAt: event.occurredAt, event: event)
        timeline = Timeline(
            activityID: activity, entries: [Timeline.Entry(event: recorded, isSkipped: true)])
    }

    @Test func `is called so in a timeline and counted`() {
        let text = TimelineText(paint: paint, hasLedger: true)
        let lines = text.lines(timeline.entries[0], at: nil)
        #expect(lines.last?.hasPrefix("    SKIPPED  it could not be folded") == true)
        #expect(text.summary(timeline) == "order-1: 1 event; 1 skipped")
    }

    @Test func `is called so at a step`() {
        let screen = StepScreen(
            walk: TimelineWalk(timeline), size: (columns: 80, rows: 24), paint: paint)
        #expect(screen.lines.contains { $0.hasPrefix("SKIPPED  it could not be folded") })
    }

    @Test(.timeLimit(.minutes(1)), arguments: [1, 2, 5, 8, 9, 10, 11])
    func `is shown in the narrowest window too`(columns: Int) {
        let screen = StepScreen(
            walk: TimelineWalk(timeline), size: (columns: columns, rows: 1), paint: paint)
        #expect(screen.lines.count > 3)
    }

    @Test func `says so to programs`() throws {
        let json = Console.json(TimelineDocument.json(timeline, phones: nil))
        #expect(json.contains(#""skipped" : true"#), "\(json)")
        #expect(!json.contains("parked"))
    }
}
