import Domain
import Foundation
import Projections
import TestSupport
import Testing

private let noon = Moment(unixSeconds: 1_800_000_000)

private func order(_ events: [(StateChange<PizzaDeliveryState>, Double)]) -> ActivityFacts {
    var state = PizzaDeliveryKind.initial
    for (event, seconds) in events {
        PizzaDeliveryKind.evolve(&state, with: event, occurredAt: noon.adding(seconds: seconds))
    }
    return PizzaDeliveryKind.facts(of: state)
}

private func event(_ type: String, _ data: String) throws -> StateChange<PizzaDeliveryState> {
    try PizzaDeliveryKind.event(
        type: "PizzaDelivery.\(type)", schemaVersion: 1, data: .init(data.utf8))
}

private func placed() throws -> StateChange<PizzaDeliveryState> {
    try event(
        "OrderPlaced",
        """
        {"orderNumber":"N-7","numberOfPizzas":1,"totalAmount":"€9",
        "promisedAt":"2027-01-15T08:40:00Z"}
        """)
}

@Suite struct `The facts of an order` {
    let promised = noon.adding(seconds: 2400)

    @Test func `are its promise, its newest estimate and its number`() throws {
        let facts = order([
            (try placed(), 0),
            (try event("EstimateRevised", #"{"estimatedAt":"2027-01-15T08:50:00Z"}"#), 60),
        ])
        #expect(facts.promisedAt == promised)
        #expect(facts.expectedAt == promised.adding(seconds: 600))
        #expect(facts.actualAt == nil)
        #expect(facts.words.words == ["7", "n"])
        #expect(facts.isLate(.live, at: noon))
    }

    @Test func `say when it was delivered, and expect nothing more`() throws {
        let facts = order([(try placed(), 0), (try event("OrderDelivered", "{}"), 2400)])
        #expect(facts.actualAt == promised)
        #expect(facts.expectedAt == nil)
        #expect(!facts.isLate(.ended, at: noon.adding(seconds: 9999)))
    }

    @Test func `do not take a cancellation for a delivery`() throws {
        let facts = order([(try placed(), 0), (try event("OrderCancelled", "{}"), 9999)])
        #expect(facts.actualAt == nil)
        #expect(!facts.isLate(.ended, at: noon.adding(seconds: 99_999)))
    }

    @Test func `are none before anything is known`() {
        #expect(order([]) == ActivityFacts())
    }
}

/// A coffee's reports by their minute.
private typealias Reports = [(type: String, minute: Double, data: String)]

@Suite struct `The facts of a coffee` {
    private func facts(_ reports: Reports) throws -> (facts: ActivityFacts, phase: Phase) {
        var story = Story()
        for report in reports {
            try story.tell("CoffeeDelivery.\(report.type)", at: report.minute, report.data)
        }
        let snapshot = try #require(story.snapshot)
        return (snapshot.facts, snapshot.phase)
    }

    private func order(_ minute: Double?) -> String {
        minute.map { #"{"coffeeName":"Mocha","estimatedAt":"\#(Story.time($0))"}"# }
            ?? #"{"coffeeName":"Mocha"}"#
    }

    private func estimate(_ minute: Double) -> String {
        #"{"estimatedAt":"\#(Story.time(minute))"}"#
    }

    private func moment(_ minute: Double) -> Moment { Story.start.adding(seconds: minute * 60) }

    @Test func `are what came with the order, the newest estimate and the delivery`() throws {
        var reports: Reports = [
            ("OrderReceived", 0, order(15)), ("BrewingStarted", 2, estimate(20)),
            ("EstimateRevised", 4, estimate(55)),
        ]
        let late = try facts(reports)
        #expect(late.facts.promisedAt == moment(15) && late.facts.expectedAt == moment(55))
        #expect(late.facts.actualAt == nil)
        #expect(late.facts.isLate(late.phase, at: moment(5)))
        reports.append(("CoffeeDelivered", 50, "{}"))
        let done = try facts(reports)
        #expect(done.facts.expectedAt == nil && done.facts.actualAt == moment(50))
        #expect(done.facts.isLate(done.phase, at: moment(60)))
    }

    @Test func `are those of one in time, until its time is over`() throws {
        var reports: Reports = [("OrderReceived", 0, order(15))]
        let open = try facts(reports)
        #expect(!open.facts.isLate(open.phase, at: moment(14)))
        #expect(open.facts.isLate(open.phase, at: moment(16)))
        reports.append(("CoffeeDelivered", 14, "{}"))
        let done = try facts(reports)
        #expect(!done.facts.isLate(done.phase, at: moment(60)))
    }

    @Test func `go by the order that stands`() throws {
        let moved = try facts([
            ("OrderReceived", 0, order(15)), ("OrderReceived", 5, order(45)),
            ("OrderReceived", 6, order(nil)),
        ])
        #expect(moved.facts.promisedAt == moment(45))
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `begin with the first estimate if the order has none, in any order`(
        arrivals: [Int]
    ) throws {
        let reports: Reports = [
            ("OrderReceived", 0, order(nil)), ("BrewingStarted", 2, estimate(10)),
            ("EstimateRevised", 5, estimate(50)),
        ]
        let found = try facts(arrivals.map { reports[$0] })
        #expect(found.facts.promisedAt == moment(10) && found.facts.expectedAt == moment(50))
    }

    @Test func `do not take a cancellation for a delivery`() throws {
        let called = try facts([
            ("OrderReceived", 0, order(15)), ("OrderCancelled", 30, "{}"),
        ])
        #expect(called.facts.promisedAt == moment(15) && called.facts.actualAt == nil)
        #expect(!called.facts.isLate(called.phase, at: moment(60)))
    }

    @Test func `promise nothing without an estimate`() throws {
        let open = try facts([("OrderReceived", 0, order(nil)), ("CourierLeft", 3, "{}")])
        #expect(open.facts.promisedAt == nil && open.facts.expectedAt == nil)
    }
}

@Test func `the facts of a match are its kick-off, its competition and its teams`() throws {
    var state = MatchKind.initial
    let scheduled = try MatchKind.event(
        type: "Match.MatchScheduled", schemaVersion: 1,
        data: .init(
            """
            {"competition":"Cup","homeTeam":"1. FC Köln","awayTeam":"Real Madrid",
            "homeCode":"KOE","kickoff":"2027-01-15T08:40:00Z"}
            """.utf8))
    MatchKind.evolve(&state, with: scheduled, occurredAt: noon)
    let facts = MatchKind.facts(of: state)
    #expect(facts.startsAt == noon.adding(seconds: 2400))
    #expect(facts.competition == "Cup")
    #expect(facts.words.words == ["1", "fc", "koe", "koln", "madrid", "real"])
    #expect(facts.promisedAt == nil)
}
