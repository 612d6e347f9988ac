import Domain
import EventStore
import Foundation
import Simulator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `A card that a push starts` {
    @Test func `appears once, is registered by the app that wakes, and follows the order`()
        async throws
    {
        try await WholeSystem.working { system in
            let simulator = system.simulator.simulator
            let phone = try simulator.addPhone(named: "Ann")
            var events = simulator.events().makeAsyncIterator()
            try await system.awaitStart(on: phone, of: "ann")
            try await system.merchant.report(Story.placed())
            let update = try #require(await events.nextUpdateToken())
            let started = try #require(simulator.phone(phone)?.activities.first)
            #expect(started.lastAlert?.title == "Your order")
            try await system.merchant.register(
                update.hex, for: Story.order, bundleID: simulator.configuration.bundleID,
                installation: "ann")
            try await system.merchant.report(Story.assigned())
            try await waitUntil("the driver is shown on the started card") {
                simulator.phone(phone)?.activities.first?.lastAlert?.body
                    == "Ada will bring your 2 pizzas."
            }
            try await system.merchant.report(Story.event("OrderDelivered"))
            try await waitUntil("the card has ended") {
                simulator.phone(phone)?.activities.first?.phase.isOver == true
            }
            #expect(simulator.phone(phone)?.activities.count == 1)
            let warnings = simulator.log(of: phone).flatMap(\.warnings)
            #expect(warnings == [])
            let ignored = simulator.log(of: phone).filter { $0.outcome == .ignored }
            #expect(ignored.map(\.sentence) == [])
            let report = try await system.store.startTokens.audience(
                system.tenant, ActivityID(rawValue: Story.order))
            #expect(report?.counts == [.started: 1])
            #expect(system.diagnostics == [])
        }
    }
}
