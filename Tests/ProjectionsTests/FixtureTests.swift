import Domain
import Foundation
import Projections
import TestSupport
import Testing

struct FixtureTests {
    private func fold(_ events: [RecordedEvent]) throws -> [ActivityID: [FoldedChange]] {
        var changes: [ActivityID: [FoldedChange]] = [:]
        for event in events {
            let snapshot = changes[event.event.activityID]?.last?.snapshot
            changes[event.event.activityID, default: []].append(
                try ActivityCatalog.standard.fold(event, into: snapshot))
        }
        return changes
    }

    @Test(arguments: Fixture.all)
    func `every event passes the checks`(name: String) throws {
        for event in try Fixture.events(name) {
            try ActivityCatalog.standard.validate(
                type: event.type, schemaVersion: event.schemaVersion, data: event.data)
        }
    }

    @Test func `the final folds to 3–3 and 4–2 on penalties`() throws {
        let changes = try fold(Fixture.recorded(Fixture.worldCupFinal))
        let last = try #require(changes[ActivityID(rawValue: "world-cup-2022-final")]?.last)
        let state = try JSONDecoder().decode(
            MatchAttributes.ContentState.self, from: last.snapshot.contentState)
        #expect(state.homeScore == 3 && state.awayScore == 3)
        #expect(state.shootoutHome == 4 && state.shootoutAway == 2)
        #expect(state.status == .finished && state.clock == nil)
        #expect(last.assessment.pendingEnding != nil)
        #expect(last.alert?.title == "Full time: Argentina 3–3 France")
        #expect(last.alert?.body == "Argentina win 4–2 on penalties.")
        #expect(
            last.alert?.translations[Language("de")]?.body
                == "Argentina gewinnt 4–2 im Elfmeterschießen.")
    }

    @Test func `the final stands 2–0 at half-time and 2–2 after ninety minutes`() throws {
        let events = try Fixture.recorded(Fixture.worldCupFinal)
        let changes = try #require(try fold(events).values.first)
        func score(after id: String) throws -> [Int] {
            let index = try #require(events.firstIndex { $0.event.id == id })
            let state = try JSONDecoder().decode(
                MatchAttributes.ContentState.self, from: changes[index].snapshot.contentState)
            #expect(state.status == .interval)
            return [state.homeScore, state.awayScore]
        }
        #expect(try score(after: "final-first-half-ended") == [2, 0])
        #expect(try score(after: "final-second-half-ended") == [2, 2])
        #expect(try score(after: "final-extra-time-second-half-ended") == [3, 3])
    }

    @Test func `the final repeats a goal under its id`() throws {
        let ids = try Fixture.events(Fixture.worldCupFinal).map(\.id)
        #expect(ids.count == Set(ids).count + 1)
        #expect(ids.filter { $0 == "final-goal-2" }.count == 2)
    }

    @Test(arguments: Fixture.all, 0..<6)
    func `a story ends the same in any order of arrival`(name: String, seed: UInt64) throws {
        var facts = RandomFacts(seed: seed)
        let events = try Fixture.events(name)
        let expected = try fold(Fixture.number(events))
        for (id, changes) in try fold(Fixture.number(facts.shuffled(events))) {
            let actual = try #require(changes.last?.snapshot)
            let inOrder = try #require(expected[id]?.last?.snapshot)
            let kind = try #require(KindProbe.all.first { $0.name == actual.kind })
            #expect(try kind.facts(actual) == kind.facts(inOrder))
            #expect(actual.contentState == inOrder.contentState)
        }
    }

    @Test func `the ride, the coffees and the adventure end as their stories say`() throws {
        func last<State: Decodable>(_ name: String, _ id: String, _: State.Type) throws -> State {
            let changes = try fold(Fixture.recorded(name))[ActivityID(rawValue: id)]
            return try JSONDecoder().decode(
                State.self, from: try #require(changes?.last).snapshot.contentState)
        }
        let ride = try last(Fixture.bikeRides, "bike-1", OrderAttributes.ContentState.self)
        #expect(ride.status == .cycling && ride.stage == .ended && ride.fare == "€3.00")
        // From minute 3 to 41, without the pauses from 15 to 22 and from 30 to 33.
        #expect(ride.riddenSeconds == 28 * 60)
        typealias Coffee = CoffeeDeliveryAttributes.ContentState
        #expect(
            try last(Fixture.coffeeOrders, "coffee-1", Coffee.self).outcome == .delivered)
        #expect(
            try last(Fixture.coffeeOrders, "coffee-2", Coffee.self).outcome == .cancelled)
        let adventure = try last(
            Fixture.adventures, "adventure-1", AdventureAttributes.ContentState.self)
        #expect(adventure.outcome == .victorious)
        #expect(adventure.eventDescription == "Brave Badger has defeated the Grumpy Golem!")
    }

    @Test(arguments: Fixture.all)
    func `each state on the wire is the golden one, byte for byte`(name: String) throws {
        let events = try Fixture.recorded(name)
        var changes = try fold(events).mapValues { $0[...] }
        let kind = try #require(changes.values.first?.first).snapshot.kind
        let lines = try events.map { event in
            let next = changes[event.event.activityID]?.popFirst()
            return String(decoding: try #require(next).snapshot.contentState, as: UTF8.self)
        }
        try Golden.check(
            name.replacing(".ndjson", with: ".states.ndjson"), by: .fold(ofKind: kind), lines)
    }

    @Test(arguments: Fixture.all)
    func `what is said about each event is the golden text`(name: String) throws {
        let events = try Fixture.recorded(name)
        var changes = try fold(events).mapValues { $0[...] }
        let lines = try events.map { event in
            let next = changes[event.event.activityID]?.popFirst()
            let change = try #require(next)
            let assessment = change.assessment
            let words = change.alert.map { " | \($0.title) | \($0.body)" } ?? ""
            return "\(event.event.id) \(assessment.rule): \(assessment.significance)\(words)"
        }
        try Golden.check(
            name.replacing(".ndjson", with: ".assessments.txt"), by: .rules, lines)
    }

    @Test func `the orders end as their story says`() throws {
        let changes = try fold(Fixture.recorded(Fixture.pizzaOrders))
        #expect(changes.count == 5)
        var stages: [String: PizzaDelivery.Stage?] = [:]
        for (id, changes) in changes {
            let state = try JSONDecoder().decode(
                PizzaDeliveryAttributes.ContentState.self,
                from: try #require(changes.last).snapshot.contentState)
            stages[id.rawValue] = state.stage
            let lateAlerts = changes.filter { $0.assessment.rule == "late" }
            #expect(lateAlerts.isEmpty == (id.rawValue != "order-1002"))
        }
        #expect(
            stages == [
                "order-1001": .delivered, "order-1002": .delivered, "order-1003": .cancelled,
                "order-1004": .delivered, "order-1005": .delivered,
            ])
    }

    @Test(arguments: Fixture.all)
    func `nothing that a phone shows changes after the end`(name: String) throws {
        for changes in try fold(Fixture.recorded(name)).values {
            let end = try #require(changes.firstIndex { $0.assessment.tellsEnd })
            for change in changes[(end + 1)...] { #expect(!change.isVisible) }
        }
    }
}
