import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Testing

@testable import API

@Test func `a state is given as of a version`() async throws {
    let api = try await Harness.withOrders()
    let first = try await api.get("/v1/activities/o-1/state?version=1").json()
    #expect(first["version"] == .integer(1))
    #expect(first["contentState"]?["driverName"]?.text == "Your driver")
    #expect(first["event"]?["type"]?.text == "PizzaDelivery.OrderPlaced")
    #expect(first["presentation"]?["lockScreen"] != nil)
    let second = try await api.get("/v1/activities/o-1/state?version=2").json()
    let present = try await api.get("/v1/activities/o-1").json()
    for member in ["version", "state", "contentState", "attributes", "facts", "staleAt"] {
        #expect(second[member] == present[member], "\(member)")
    }
}

@Test func `a version that an activity has not come to is unknown`() async throws {
    let api = try await Harness.withOrders()
    let answer = try await api.get("/v1/activities/o-1/state?version=99")
    let document = try answer.expectProblem(
        .unknownVersion, remedy: "Name a version up to that one.")
    #expect(document["detail"]?.text == "The activity has come to version 2 only.")
    try await api.get("/v1/activities/o-2/state?version=1").expectProblem(.unknownActivity)
}

@Test func `a state goes on after an event that was skipped`() {
    func recorded(_ version: Int64, _ type: String, _ data: String) -> RecordedEvent {
        let event = NewEvent(
            id: "\(version)", source: "/kitchen", type: type,
            activityID: ActivityID(rawValue: "o-1"),
            occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data(data.utf8))
        return RecordedEvent(
            tenant: Harness.mine, position: version, version: version,
            recordedAt: event.occurredAt, event: event)
    }
    let events = [
        recorded(1, "PizzaDelivery.DriverAssigned", #"{"driverName":"Ann"}"#),
        recorded(2, "PizzaDelivery.DriverAssigned", "{}"),
        recorded(3, "PizzaDelivery.DriverAssigned", #"{"driverName":"Bob"}"#),
    ]
    var parked = PastState(skipped: [])
    var skipped = PastState(skipped: [2])
    for event in events {
        parked.take(event)
        skipped.take(event)
    }
    #expect(parked.snapshotWithBlockage?.version == 1)
    #expect(parked.snapshotWithBlockage?.blockage != nil)
    #expect(skipped.snapshotWithBlockage?.version == 3)
    #expect(skipped.snapshotWithBlockage?.blockage == nil)
}

@Test func `a state is given as of a moment of recording`() async throws {
    let api = try await Harness.withOrders()
    let after = try await api.get("/v1/activities/o-1/state?at=2027-01-15T08:00:00Z").json()
    #expect(after["version"] == .integer(2))
    try await api.get("/v1/activities/o-1/state?at=2027-01-15T07:59:59Z")
        .expectProblem(.unknownActivity)
}

@Test(
    arguments: [
        "", "?version=0", "?version=x", "?at=yesterday", "?at=",
        "?version=1&at=2027-01-15T08:00:00Z",
    ])
func `a point of the past that cannot be is refused`(query: String) async throws {
    let api = try await Harness.withOrders()
    try await api.get("/v1/activities/o-1/state\(query)").expectProblem(.invalidParameter)
}

@Test func `a version that is not there yet is unknown`() async throws {
    let api = try await Harness.withOrders()
    try await api.get("/v1/activities/o-1/state?version=3").expectProblem(
        .unknownVersion, remedy: "Name a version up to that one.")
}

@Test func `the past of another tenant looks absent`() async throws {
    let api = try await Harness.withOrders()
    let theirs = try await api.get("/v1/activities/o-1/state?version=1", key: "theirs")
    try theirs.expectProblem(.unknownActivity)
}
