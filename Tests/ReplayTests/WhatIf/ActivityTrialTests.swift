import Domain
import Foundation
import Projections
import Testing

@testable import Replay

/// An order whose driver is assigned, reassigned and delivers.
private func story() throws -> [RecordedEvent] {
    let told: [(String, String)] = [
        (
            "OrderPlaced",
            #"{"orderNumber":"7","numberOfPizzas":2,"totalAmount":"$3","#
                + #""promisedAt":"2027-01-15T19:00:00Z"}"#
        ),
        ("DriverAssigned", #"{"driverName":"Ada"}"#), ("OrderDelivered", "{}"),
    ]
    return told.enumerated().map { index, event in
        let at = Moment(unixSeconds: 1_800_000_000 + Int64(index) * 600)
        return RecordedEvent(
            tenant: TenantID(rawValue: 1), position: Int64(index) + 1, version: Int64(index) + 1,
            recordedAt: at,
            event: NewEvent(
                id: "\(index)", source: "/test", type: "PizzaDelivery.\(event.0)",
                activityID: ActivityID(rawValue: "order-7"), occurredAt: at,
                data: Data(event.1.utf8)))
    }
}

private func book(_ rules: [String: String]) throws -> PolicyBook {
    var document = PolicyDocument()
    document.rules = rules
    var book = PolicyBook.builtIn
    book.add(
        try ActivityCatalog.standard.policy(ofKind: "PizzaDelivery", document, version: 1),
        ofKind: "PizzaDelivery", fromPosition: 0)
    return book
}

@Suite struct `A policy that is tried on one activity` {
    @Test func `shows the alerts that go, and those that stay`() throws {
        let trial = ActivityTrial.run(
            try story(), own: .builtIn, tried: try book(["driverAssigned": "timely"]))
        #expect(trial.toldBefore.contains { $0.version == 2 && !$0.title.isEmpty })
        #expect(!trial.toldAfter.contains { $0.version == 2 })
        #expect(trial.changes.removed == 1 && trial.changes.added == 0)
        #expect(trial.toldBefore.filter { $0.version != 2 } == trial.toldAfter)
        #expect(!trial.isLeftOut)
    }

    @Test func `changes nothing when it says the same`() throws {
        let trial = ActivityTrial.run(try story(), own: .builtIn, tried: .builtIn)
        #expect(trial.changes.total == 0 && trial.toldBefore == trial.toldAfter)
        #expect(trial.before == trial.after)
    }

    @Test func `ends at an event that cannot be folded`() throws {
        var events = try story()
        events[1].event.data = Data(#"{"driverName":7}"#.utf8)
        let trial = ActivityTrial.run(events, own: .builtIn, tried: .builtIn)
        #expect(trial.isLeftOut && trial.toldBefore.allSatisfy { $0.version < 2 })
        #expect(ActivityTrial.run([], own: .builtIn, tried: .builtIn).toldBefore.isEmpty)
    }
}
