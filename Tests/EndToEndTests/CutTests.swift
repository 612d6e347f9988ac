import Delivery
import Domain
import EventStore
import Foundation
import Simulator
import TestSupport
import Testing

/// One part is missing or wrong: nothing may seem to arrive.
@Suite(.timeLimit(.minutes(5)))
struct `With one part cut` {
    private let beginning = ["Your order", "Order received", "Arriving in"]

    private func report(to system: WholeSystem) async throws {
        for event in [Story.placed(), Story.assigned()] {
            let answer = try await system.merchant.report(event)
            try #require(answer.status == 201, "\(answer.text)")
        }
    }

    private func expectArrival(_ system: WholeSystem, _ phone: PhoneID) async throws {
        try await waitUntil("the driver is announced") {
            system.card(on: phone)?.lastAlert?.body == "Ada will bring your 2 pizzas."
        }
    }

    private func expectNothing(_ system: WholeSystem, _ phone: PhoneID) {
        #expect(system.card(on: phone)?.alerts == 0)
        #expect(system.card(on: phone)?.lastTimestamp == nil)
        #expect(system.pushes(to: phone).isEmpty)
        #expect(system.screen(on: phone) == beginning)
    }

    @Test func `without a projector nothing arrives, and all of it once there is one`()
        async throws
    {
        try await WholeSystem.with { system in
            let phone = try await system.follow(Story.order)
            system.startSender()
            try await report(to: system)
            #expect(try await system.head() == 2)
            #expect(try await system.merchant.get("/v1/activities/\(Story.order)").status == 404)
            #expect(try await system.ledger().isEmpty)
            expectNothing(system, phone)
            system.startProjector()
            try await expectArrival(system, phone)
        }
    }

    @Test func `without a sender nothing arrives, and all of it once there is one`()
        async throws
    {
        try await WholeSystem.with { system in
            let phone = try await system.follow(Story.order)
            system.startProjector()
            try await report(to: system)
            try await waitUntil("both changes are decided") {
                try await system.ledger().count == 2
            }
            let outcomes = try await system.ledger().compactMap(\.outcome)
            #expect(outcomes == [])
            expectNothing(system, phone)
            system.startSender()
            try await expectArrival(system, phone)
        }
    }

    @Test func `with an authority that did not sign for APNs nothing arrives and it is reported`()
        async throws
    {
        var flaws = WholeSystem.Flaws()
        flaws.distrustsAPNs = true
        try await expectFailure(flaws) { system, phone in
            guard case .unanswered(count: 1, let reason)? = system.diagnostics.first else {
                Issue.record("\(system.diagnostics)")
                return
            }
            #expect(reason.contains("TLS"))
            #expect(system.simulator.simulator.tally().received == 0)
        }
    }

    @Test func `with a key that Apple does not know nothing arrives and it is reported`()
        async throws
    {
        var flaws = WholeSystem.Flaws()
        flaws.hasWrongKey = true
        try await expectFailure(flaws) { system, phone in
            #expect(
                system.diagnostics.first == .credentialsRefused(reason: "InvalidProviderToken"))
            #expect(system.simulator.simulator.tally().accepted == 0)
            let living = try await system.store.phoneCount(
                system.tenant, ActivityID(rawValue: Story.order))
            #expect(living == 1)
        }
    }

    private func expectFailure(
        _ flaws: WholeSystem.Flaws,
        _ check: (WholeSystem, PhoneID) async throws -> Void
    ) async throws {
        try await WholeSystem.with(flaws) { system in
            let phone = try await system.follow(Story.order)
            try await report(to: system)
            system.startProjector()
            system.startSender()
            try await system.waitUntilSettled(versions: 2)
            let outcomes = try await system.ledger().compactMap(\.outcome)
            #expect(outcomes.map(\.accepted) == [0, 0])
            #expect(outcomes.map(\.failed) == [1, 1])
            expectNothing(system, phone)
            try await check(system, phone)
        }
    }

    @Test func `with a phone of the other environment nothing arrives and it is reported`()
        async throws
    {
        try await WholeSystem.working { system in
            let phone = try await system.follow(Story.order, environment: .production)
            try await report(to: system)
            try await system.waitUntilSettled(versions: 2)
            expectNothing(system, phone)
            #expect(system.diagnostics.contains(.tokensUnfit(count: 1, reason: "BadDeviceToken")))
        }
    }

    @Test func `with a wrong API key nothing is recorded`() async throws {
        try await WholeSystem.working { system in
            let phone = try await system.follow(Story.order)
            let stranger = Merchant(port: system.port, key: "islet_wrong")
            #expect(try await stranger.report(Story.placed()).status == 401)
            #expect(try await system.head() == 0)
            expectNothing(system, phone)
        }
    }

    @Test func `without a registration the decisions are completed and nobody gets a push`()
        async throws
    {
        try await WholeSystem.working { system in
            let phone = try await system.follow("order-of-someone-else")
            try await report(to: system)
            try await system.waitUntilSettled(versions: 2)
            #expect(system.pushes(to: phone).isEmpty)
            let timestamps = try await system.ledger().compactMap { $0.outcome?.timestamp }
            #expect(timestamps == [])
            #expect(system.simulator.simulator.tally().received == 0)
        }
    }
}
