import Domain
import EventStore
import Pipeline
import Simulator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `The clock and the phone` {
    @Test func `a card of which nobody reports the end is ended and dismissed`() async throws {
        try await WholeSystem.working { system in
            let phone = try await system.follow(Story.order)
            try await system.merchant.report(Story.placed())
            try await waitUntil("the card shows the order") {
                system.screen(on: phone).isEmpty == false
            }
            let clock = ClockRunner(
                store: system.store, now: { Moment.timeOfDay.adding(seconds: 24 * 3600) },
                report: { Issue.record("the clock failed: \($0)") })
            let running = Task { await clock.run() }
            try await waitUntil("the card has ended") {
                system.card(on: phone)?.phase.isOver == true
            }
            try await system.waitUntilSettled(versions: 9)
            running.cancel()
            await running.value
            let rows = try await system.ledger()
            let events = try await system.store.log.read(system.tenant, 1, 10)
            let overdue = Array(repeating: ActivityClock.Event.promiseBroken.type, count: 5)
            #expect(
                events.map(\.event.type) == [ActivityClock.Event.wentStale.type] + overdue + [
                    ActivityClock.Event.timeLimitReached.type, ActivityClock.Event.dismissed.type,
                ])
            #expect(rows[7].decision.rule == "timeLimit")
            #expect(rows.map(\.decision.verdict).suffix(3) == [.alert, .end, .hold])
            #expect(rows[7].outcome?.accepted == 1)
            let answer = try await system.merchant.get("/v1/activities/\(Story.order)")
            #expect(answer.text.contains(#""phase":"ended""#))
        }
    }
}
