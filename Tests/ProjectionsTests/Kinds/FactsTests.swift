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
