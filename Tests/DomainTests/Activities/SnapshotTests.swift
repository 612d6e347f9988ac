import Domain
import Foundation
import Testing

struct `A snapshot shows followers` {
    private let stored = Snapshot(
        activityID: ActivityID(rawValue: "order-1"), kind: "PizzaDelivery", version: 2,
        position: 7, phase: .live, state: Data(#"{"a":1}"#.utf8), attributes: Data("{}".utf8),
        contentState: Data("{}".utf8), updatedAt: Moment(unixSeconds: 0))

    @Test func `the same whichever fold has written it`() {
        var other = stored
        other.foldVersion += 1
        other.state = Data(#"{"b":1}"#.utf8)
        other.dispatch = Data(#"{"by":"other rules"}"#.utf8)
        other.dueAt = Moment(unixSeconds: 60)
        other.awaits = "PizzaDelivery.OrderPlaced"
        #expect(other != stored)
        #expect(other.showsTheSame(as: stored) && stored.showsTheSame(as: other))
    }

    @Test func `something else with any other change`() {
        let changes: [(inout Snapshot) -> Void] = [
            { $0.version += 1 }, { $0.phase = .ended }, { $0.attributes = Data("1".utf8) },
            { $0.contentState = Data("1".utf8) }, { $0.blockage = "not an object" },
            { $0.facts.competition = "League" },
        ]
        for change in changes {
            var other = stored
            change(&other)
            #expect(!other.showsTheSame(as: stored), "\(other)")
        }
    }
}
