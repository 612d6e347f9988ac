import Domain
import EventStore
import Foundation
import Pipeline
import Simulator
import TestSupport
import Testing

extension WholeSystem {
    /// The clock speaks ahead of its time until it wants fresh cards.
    fileprivate func comeNearLimit() async throws {
        let clock = ClockRunner(store: store, now: { .timeOfDay }) {
            Issue.record("the clock failed: \($0)")
        }
        try await waitUntil("fresh cards are wanted") {
            // The time first: once the fresh card is decided, the next one is that of the end.
            let order = ActivityID(rawValue: Story.order)
            let due = try await store.projections.snapshot(tenant, order)?.dueAt
            let rules = try await ledger().map(\.decision.rule)
            if rules.contains("restart") { return true }
            guard let due else { return false }
            _ = try await clock.tick(at: due)
            return false
        }
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card that is near its eight hours` {
    @Test func `is gone once a fresh one is there, which follows the order from then on`()
        async throws
    {
        try await WholeSystem.working { system in
            let simulator = system.simulator.simulator
            let phone = try simulator.addPhone(named: "Ann")
            var events = simulator.events().makeAsyncIterator()
            _ = try await system.store.policies.put(
                system.tenant, "PizzaDelivery", nil,
                Data(#"{"thresholds":{"restartBeforeLimitSeconds":3600}}"#.utf8))
            try await system.awaitStart(on: phone, of: "ann")
            try await system.merchant.report(Story.placed())
            let old = try #require(await events.nextUpdateToken())
            try await system.merchant.register(
                old.hex, for: Story.order, bundleID: simulator.configuration.bundleID,
                installation: "ann")
            try await system.comeNearLimit()
            let fresh = try #require(await events.nextUpdateToken())
            #expect(fresh != old)
            try await waitUntil("the old card is gone") {
                simulator.phone(phone)?.activities.count { $0.phase.isOver } == 1
            }
            try await system.merchant.register(
                fresh.hex, for: Story.order, bundleID: simulator.configuration.bundleID,
                installation: "ann")
            try await system.merchant.report(Story.assigned())
            try await waitUntil("the driver is shown on the fresh card") {
                simulator.phone(phone)?.activities.first { !$0.phase.isOver }?.lastAlert?.body
                    == "Ada will bring your 2 pizzas."
            }
            let cards = try #require(simulator.phone(phone)?.activities)
            #expect(cards.count == 2)
            #expect(cards.count { !$0.phase.isOver } == 1)
            let ignored = simulator.log(of: phone).filter { $0.outcome == .ignored }
            #expect(ignored.map(\.sentence) == [])
            #expect(system.diagnostics == [])
        }
    }
}
