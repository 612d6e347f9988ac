import DeliveryRules
import Domain
import Foundation
import JSON
import Projections
import TestSupport
import Testing

/// States that no push has room for, until their texts are cut.
struct TrimmingTests {
    private static let catalog = ActivityCatalog(kinds: [DiaryKind.self])

    /// A page written in each minute: how long page and margin are.
    private func events(_ pages: [(page: Int, margin: Int)]) -> [RecordedEvent] {
        let events = pages.enumerated().map { minute, sizes in
            let margin = String(repeating: "m", count: sizes.margin)
            let page = String(repeating: "p", count: sizes.page)
            let json = sizes.margin > 0 ? #","margin":"\#(margin)""# : ""
            return NewEvent(
                id: "\(minute)", source: "test", type: "Diary.PageWritten",
                activityID: ActivityID(rawValue: "diary"),
                occurredAt: Story.start.adding(seconds: Double(minute) * 60),
                data: Data(#"{"page":"\#(page)"\#(json)}"#.utf8))
        }
        return Fixture.number(events)
    }

    private func changes(_ events: [RecordedEvent]) throws -> [FoldedChange] {
        var changes: [FoldedChange] = []
        for event in events {
            changes.append(try Self.catalog.fold(event, into: changes.last?.snapshot))
        }
        return changes
    }

    private func refolded(_ events: [RecordedEvent]) throws -> Snapshot {
        let first = try #require(events.first)
        let fold = try StateFold(first, catalog: Self.catalog)
        for event in events.dropFirst() { try fold.fold(event) }
        return fold.snapshot()
    }

    private func shown(_ change: FoldedChange) throws -> Diary.ContentState {
        try WireCoder.decode(Diary.ContentState.self, from: change.snapshot.contentState)
    }

    @Test func `a state is shown with its optional text cut, and the decision says so`() throws {
        let change = try #require(try changes(events([(2000, 2000)])).last)
        #expect(change.snapshot.contentState.count <= Domain.Limits.pushedStateBytesMax)
        let state = try shown(change)
        #expect(state.page.count == 2000)
        // Half of it, and the ellipsis.
        #expect(state.margin?.count == 1001)
        var machine = DispatchMachine()
        let decision = machine.decide(about: change)
        #expect(decision.verdict == .timely)
        #expect(decision.contentState == change.snapshot.contentState)
        let reason = "A page was written. Its texts were cut: the state would have 4023 bytes,"
        #expect(decision.reason.hasPrefix(reason), "\(decision.reason)")
    }

    @Test func `what needs no cut is shown whole, and nothing is said of it`() throws {
        let change = try #require(try changes(events([(2000, 1000)])).last)
        #expect(try shown(change).margin?.count == 1000)
        #expect(change.assessment.reason == "A page was written.")
    }

    @Test func `a state that is too large without its texts stays whole and is held`() throws {
        let change = try #require(try changes(events([(4000, 500)])).last)
        #expect(try shown(change).margin?.count == 500)
        #expect(change.assessment.reason == "A page was written.")
        var machine = DispatchMachine()
        let decision = machine.decide(about: change)
        #expect(decision.verdict == .hold && decision.rule == "too-large")
    }

    @Test func `what differs only where it is cut is nothing new to a phone`() throws {
        let changes = try changes(events([(2000, 2000), (2000, 2001), (2000, 900)]))
        #expect(changes.map(\.isVisible) == [true, false, true])
        #expect(changes.map(\.assessment.rule) == ["written", "unchanged", "written"])
    }

    @Test(arguments: [
        [(2000, 2000)], [(2000, 2000), (2000, 2001)], [(9, 0), (2000, 2000)],
        [(2000, 900), (2000, 3000), (4000, 10), (4000, 20)], [(4000, 4000), (2000, 4000)],
    ])
    func `folding again gives equal bytes`(pages: [(page: Int, margin: Int)]) throws {
        let events = events(pages)
        var snapshot = try #require(try changes(events).last?.snapshot)
        snapshot.dispatch = Data("{}".utf8)
        #expect(try refolded(events) == snapshot)
    }

    /// Cuts until nothing is left to cut; each state is one that the first app decodes.
    private func cut<K: ActivityKind>(
        _ kind: K.Type, _ state: K.ContentState
    ) throws -> [K.ContentState] {
        var states = [state]
        while let last = states.last, let shorter = kind.trimmed(last), states.count < 100 {
            #expect(WireCoder.encode(shorter).count < WireCoder.encode(last).count)
            let attributes = WireCoder.encode(K.attributes(of: K.initial))
            try FirstApp.decode(kind.name, attributes, WireCoder.encode(shorter))
            states.append(shorter)
        }
        #expect(states.count < 100)
        return states
    }

    @Test func `each kind shortens its free texts before it leaves them out`() throws {
        let text = String(repeating: "Ünal sagt: 🍕. ", count: 200)
        let match = MatchAttributes.ContentState(
            homeScore: 2, awayScore: 1, status: .playing, lastEvent: text)
        let pizza = PizzaDeliveryAttributes.ContentState(
            driverName: text, deliveryTimer: Story.start.date...Story.start.date, note: text)
        let coffee = CoffeeDeliveryAttributes.ContentState(currentStatus: .preparing, note: text)
        let bike = OrderAttributes.ContentState(
            status: .cycling, stage: .paused, fare: "€ 3", note: text)
        let adventure = AdventureAttributes.ContentState(
            currentHealthLevel: 0.5, eventDescription: text)
        let matches = try cut(MatchKind.self, match)
        #expect(matches[1].lastEvent?.hasSuffix("…") == true && matches.last?.lastEvent == nil)
        #expect(matches.last?.homeScore == 2)
        let pizzas = try cut(PizzaDeliveryKind.self, pizza)
        #expect(pizzas.last?.note == nil && pizzas.last?.driverName == text)
        #expect(try cut(CoffeeDeliveryKind.self, coffee).last?.note == nil)
        let bikes = try cut(BikeRideKind.self, bike)
        #expect(bikes.last?.note == nil && bikes.last?.fare == nil)
        #expect(bikes.dropLast().last?.fare == "€ 3")
        let descriptions = try cut(AdventureKind.self, adventure).map(\.eventDescription)
        #expect(descriptions.last?.hasPrefix("Ünal sagt") == true && descriptions.count > 3)
    }
}
