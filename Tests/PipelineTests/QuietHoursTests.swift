import Domain
import EventStore
import Foundation
import Pipeline
import Projections
import Replay
import TestSupport
import Testing

/// Quiet hours from the door to the ledger, through the store, the projector and the clock.
@Suite(.timeLimit(.minutes(3)))
struct `Quiet hours that are on` {
    /// From an hour ago until an hour from now.
    private func shop() async throws -> Shop {
        let shop = try await Shop()
        func time(_ hours: Double) -> String {
            String(Moment.hoursFromNow(hours).rfc3339.dropFirst(11).prefix(5))
        }
        let document = PolicyDocument(
            thresholds: ["overdueStepSeconds": 0],
            quietHours: .init(from: time(-1), to: time(1), timeZone: "UTC"))
        _ = try await shop.store.policies.put(
            shop.tenant, "PizzaDelivery", nil, document.encoded)
        return shop
    }

    @Test func `keep an alert back, which the clock then tells, and all of it can be verified`()
        async throws
    {
        let shop = try await shop()
        let clock = ClockRunner(store: shop.store, now: { .timeOfDay }) {
            Issue.record("the clock failed: \($0)")
        }
        try await shop.place()
        try await shop.report("DriverAssigned", #"{"driverName":"Ada"}"#)
        await shop.fold()
        for type in [ActivityClock.Event.wentStale.type, ActivityClock.Event.quietHoursEnded.type] {
            let due = try #require(try await shop.snapshot()?.dueAt)
            #expect(due <= .hoursFromNow(1))
            #expect(try await clock.tick(at: due) == 1)
            #expect(try await shop.types().last == type)
            await shop.fold()
        }
        let decisions = try await shop.decisions()
        #expect(decisions.map(\.verdict) == [.timely, .quiet, .hold, .alert])
        #expect(decisions[1].alertContext?.silence == .quietHours)
        #expect(decisions[3].alertContext?.carried.map(\.version) == [2])
        #expect(decisions[3].alert?.title == "Driver assigned")
        let before = try await shop.snapshot()
        try await shop.rebuild()
        #expect(try await shop.snapshot() == before)
        let report = try await Verifier.verify(
            History(shop.store, of: Tenant(id: shop.tenant, name: "shop")), depth: .decisions)
        #expect(report.isSound, "\(report.defects)")
    }

    @Test func `survive a rebuild while something is kept back`() async throws {
        let shop = try await shop()
        try await shop.report("DriverAssigned", #"{"driverName":"Ada"}"#)
        await shop.fold()
        let before = try await shop.snapshot()
        try await shop.rebuild()
        #expect(try await shop.snapshot() == before)
        try await shop.report("OrderCancelled")
        await shop.fold()
        let end = try #require(try await shop.decisions().last)
        #expect(end.verdict == .end)
        // Of an order that is cancelled nobody need hear who was to bring it.
        #expect(end.alertContext?.carried == [] && end.alertContext?.dropped == [1])
    }
}
