import Domain
import EventStore
import Foundation
import Projections
import Simulator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `From report to phone` {
    /// What the app knows when a person chooses to follow the match.
    private let teams = """
        {"sport":"football","competition":"World Cup 2022, Final",\
        "homeTeam":"Argentina","awayTeam":"France"}
        """

    @Test func `the final and the orders end on every phone as they ended`() async throws {
        try await WholeSystem.working { system in
            // Hours of events are reported at once, and no clock runs that could end a grace.
            for kind in ["Match", "PizzaDelivery"] {
                _ = try await system.store.policies.put(
                    system.tenant, kind, nil,
                    Data(#"{"thresholds":{"clockSkewSeconds":86400,"endGraceSeconds":0}}"#.utf8))
            }
            let phones = [
                try await system.follow(
                    Story.final, kind: "Match", attributes: teams, by: "Ann"),
                try await system.follow(
                    Story.final, kind: "Match", attributes: teams, by: "Bob"),
            ]
            for (number, order) in Story.orders.enumerated() {
                try await system.follow(order, on: phones[number % 2])
            }
            async let match: Void = report("world-cup-2022-final", to: system)
            async let orders: Void = report("pizza-orders", to: system)
            _ = try await (match, orders)
            try await waitUntil("every card has ended") {
                phones.allSatisfy { phone in
                    system.simulator.simulator.phone(phone)?.activities.allSatisfy {
                        $0.phase.isOver
                    } == true
                }
            }
            for phone in phones {
                #expect(
                    system.screen(Story.final, on: phone) == [
                        "Argentina 3–3 France", "Full time", "4–2 on penalties",
                        "Kick scored: Gonzalo Montiel",
                    ])
                #expect(
                    system.card(Story.final, on: phone)?.lastAlert?.title
                        == "Full time: Argentina 3–3 France")
                try await expectOrderlyPushes(to: phone, system)
            }
            for (number, order) in Story.orders.enumerated() {
                let ending = order == "order-1003" ? "Cancelled" : "Delivered"
                #expect(system.screen(order, on: phones[number % 2]).dropFirst().first == ending)
            }
            try await expectFullLedger(system)
        }
    }

    /// As a feed does: one after the other, each acknowledged. In a real match minutes lie between
    /// them, in which an alert reaches its phones; here the next report waits for that, since one
    /// push would tell of all that is reported before it goes out.
    private func report(_ fixture: String, to system: WholeSystem) async throws {
        struct Answer: Decodable {
            struct Row: Decodable { var version: Int64 }
            var events: [Row]
        }
        struct Event: Decodable { var subject: String }
        var seen: Set<String> = []
        for line in try Story.lines(fixture) {
            let answer = try await system.merchant.report(line)
            // A repeated line is known already, which is no error.
            let status = seen.insert(line).inserted ? 201 : 200
            try #require(answer.status == status, "\(answer.text)")
            let subject = try JSONDecoder().decode(Event.self, from: Data(line.utf8)).subject
            let row = try JSONDecoder().decode(Answer.self, from: Data(answer.text.utf8)).events
            let version = try #require(row.first?.version)
            try await waitUntil("version \(version) of \(subject) has alerted its phones") {
                let rows = try await system.ledger(subject)
                let decided = rows.first { $0.decision.version == version }
                return decided.map { $0.decision.alert == nil || $0.outcome != nil } == true
            }
        }
    }

    private func expectOrderlyPushes(to phone: PhoneID, _ system: WholeSystem) async throws {
        let pushes = system.pushes(to: phone)
        let outcomes = Set(pushes.map(\.outcome))
        #expect(outcomes == [.shown, .ended], "\(outcomes)")
        for activity in Set(pushes.map(\.activity)) {
            let pushes = pushes.filter { $0.activity == activity }
            let timestamps = pushes.compactMap(\.timestamp)
            let areGrowing = zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 }
            #expect(areGrowing, "\(activity): \(timestamps)")
            // Each alert is a push of its own, in the order in which they were decided.
            let said = pushes.compactMap(\.alert?.title)
            let decided = try await system.ledger(activity.rawValue)
                .compactMap(\.decision.alert?.title)
            #expect(said == decided, "\(activity)")
        }
    }

    private func expectFullLedger(_ system: WholeSystem) async throws {
        for activity in [Story.final] + Story.orders {
            let audience = activity == Story.final ? 2 : 1
            try await waitUntil("\(activity) is settled") {
                try await system.ledger(activity).allSatisfy {
                    !$0.decision.verdict.pushes || $0.outcome != nil
                }
            }
            for row in try await system.ledger(activity) where row.decision.verdict.pushes {
                #expect(row.outcome?.accepted == audience)
                #expect(row.outcome?.failed == 0)
            }
        }
        #expect(system.simulator.simulator.tally().refused == [:])
        #expect(system.diagnostics == [])
    }

    @Test func `a driver is announced with words, dates in the right epoch and no warning`()
        async throws
    {
        try await WholeSystem.working { system in
            let phone = try await system.follow(Story.order)
            try await system.merchant.report(Story.placed())
            try await system.merchant.report(Story.assigned())
            try await waitUntil("the driver is announced") {
                system.card(on: phone)?.lastAlert?.body == "Ada will bring your 2 pizzas."
            }
            let log = system.pushes(to: phone)
            #expect(!log.isEmpty)
            let warnings = log.flatMap(\.warnings)
            #expect(warnings == [])
            let timer = try #require(
                system.card(on: phone)?.shows?.lockScreen.compactMap(\.clock).first)
            guard case .countdown(let arrival) = timer else {
                Issue.record("\(timer)")
                return
            }
            #expect(abs(arrival.seconds(since: .timeOfDay) - 2400) < 120)
        }
    }
}
