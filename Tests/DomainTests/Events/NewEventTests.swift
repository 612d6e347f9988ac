import Domain
import Foundation
import TestSupport
import Testing

private let reported = NewEvent(
    id: "1", source: "/shop", type: "PizzaDelivery.OrderPlaced",
    activityID: ActivityID(rawValue: "order-1"), occurredAt: Moment(unixSeconds: 100),
    data: Data(#"{"pizzas":2}"#.utf8))

struct `An event that is reported again` {
    @Test func `is the same, whatever matters only while it is recorded`() {
        var again = reported
        again.expectedVersion = 7
        #expect(again.repeats(reported))
        again.isTimeAssumed = true
        #expect(again.asRecorded == reported)
    }

    /// They say who passed it on.
    @Test func `may have other extensions`() {
        var again = reported
        again.extensions = Data(#"{"via":"queue-2"}"#.utf8)
        #expect(again.repeats(reported))
        #expect(reported.repeats(again.asRecorded))
        #expect(again.asRecorded.extensions == again.extensions)
    }

    /// A writer that gives no time cannot know the one that was assumed before.
    @Test func `may come at another time if its writer gave none`() {
        var again = reported
        again.occurredAt = Moment(unixSeconds: 101)
        #expect(!again.repeats(reported))
        again.isTimeAssumed = true
        #expect(again.repeats(reported))
    }

    private static let changes: [@Sendable (inout NewEvent) -> Void] = [
        { $0.id = "2" }, { $0.source = "/other" }, { $0.type = "PizzaDelivery.OrderAccepted" },
        { $0.schemaVersion = 2 }, { $0.activityID = ActivityID(rawValue: "order-2") },
        { $0.data = Data(#"{"pizzas":3}"#.utf8) }, { $0.data = Data(#"{ "pizzas":2}"#.utf8) },
    ]

    @Test(arguments: 0..<7)
    func `is another one if anything else differs`(place: Int) {
        var other = reported
        Self.changes[place](&other)
        #expect(!other.repeats(reported))
        other.isTimeAssumed = true
        #expect(!other.repeats(reported))
    }
}

struct `A borrowed event` {
    private struct Refused: Error {}

    @Test func `is the recorded one`() {
        let event = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 9, version: 3,
            recordedAt: Moment(unixSeconds: 200), event: reported)
        event.withBorrowedEvent { borrowed in
            #expect(borrowed.typeName == reported.type)
            #expect(Data(borrowed.data) == reported.data)
            #expect(borrowed.position == 9 && borrowed.version == 3)
            #expect(borrowed.recordedAt == Moment(unixSeconds: 200))
            #expect(borrowed.occurredAt == reported.occurredAt)
            #expect(borrowed.activityID == reported.activityID)
            #expect(borrowed.schemaVersion == 1)
        }
    }

    @Test func `may have an empty type and no data`() {
        var event = reported
        event.type = ""
        event.data = Data()
        let recorded = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 1, version: 1,
            recordedAt: Moment(unixSeconds: 0), event: event)
        #expect(recorded.withBorrowedEvent { $0.typeName.isEmpty && $0.data.isEmpty })
    }

    @Test func `passes on the error of its reader`() {
        let recorded = RecordedEvent(
            tenant: TenantID(rawValue: 1), position: 1, version: 1,
            recordedAt: Moment(unixSeconds: 0), event: reported)
        #expect(throws: Refused.self) {
            try recorded.withBorrowedEvent { (_) throws(Refused) in throw Refused() }
        }
    }
}

struct `A snapshot` {
    private func snapshot() -> Snapshot {
        Snapshot(
            activityID: ActivityID(rawValue: "match-1"), kind: "Match", version: 5, position: 50,
            phase: .live, state: Data("{}".utf8), attributes: Data("{}".utf8),
            contentState: Data("{}".utf8), updatedAt: Moment(unixSeconds: 7))
    }

    @Test func `is the same whether or not somebody has decoded it`() {
        var read = snapshot()
        read.decodedState = .init([1, 2])
        read.decodedDispatch = .init("dispatch")
        #expect(read == snapshot())
        #expect(read.hashValue == snapshot().hashValue)
        #expect(Set([read, snapshot()]).count == 1)
    }

    /// What was decoded says nothing of what is there now.
    @Test func `forgets what was decoded when its JSON changes`() {
        var changed = snapshot()
        changed.decodedState = .init([1, 2])
        changed.decodedDispatch = .init("dispatch")
        changed.state = Data(#"{"home":1}"#.utf8)
        #expect(changed.decodedState.value == nil)
        #expect(changed.decodedDispatch.value as? String == "dispatch")
        changed.dispatch = Data(#"{"sent":1}"#.utf8)
        #expect(changed.decodedDispatch.value == nil)
        #expect(changed != snapshot())
    }
}

struct `Policies of a tenant` {
    private func policy(_ kind: String, _ version: Int) -> StoredPolicy {
        StoredPolicy(
            kind: kind, version: version, fromPosition: 1, document: Data("{}".utf8),
            putAt: Moment(unixSeconds: 0))
    }

    @Test func `are counted, since none is ever taken away`() {
        let policies = [policy("Match", 1), policy("Match", 2), policy("PizzaDelivery", 1)]
        #expect(TenantPolicies(policies).revision == 3)
        #expect(TenantPolicies([]) == .none)
        #expect(TenantPolicies(revision: 4, all: policies) != TenantPolicies(policies))
    }
}
