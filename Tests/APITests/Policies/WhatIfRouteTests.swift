import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Projections
import Testing

@testable import API

private let path = "/v1/policies/PizzaDelivery/what-if"

private let request = """
    POST \(path)?activity=o-1 HTTP/1.1\r
    Host: islet\r
    Connection: close\r
    Authorization: Bearer all\r
    Content-Type: application/json\r
    Content-Length: 2\r
    \r
    {}
    """

@Test(.timeLimit(.minutes(1)))
func `small requests are answered while a policy is tried`() async throws {
    let api = await Harness()
    // It takes its while to try a policy on this many events.
    _ = try await api.post(SampleEvents.placed("o-1"))
    for index in 0..<3_000 {
        let driver = ["Ada", "Grace"][index % 2]
        _ = try await api.post(SampleEvents.assigned("o-1", driver: driver, id: "\(index)"))
    }
    try await api.fake.fold(Harness.mine)
    let served = try await ServedAPI.start(handler: api.handler)
    let hasEnded = Lever(false)
    async let tried = {
        defer { hasEnded.value = true }
        return await served.exchange(request)
    }()
    // Some of these may be answered before it begins.
    for _ in 1...5 {
        let live = await served.exchange(
            "GET /livez HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n\r\n")
        #expect(live.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(live)")
    }
    // One at a time of each tenant. A client that has to wait gets that answer before anything is
    // read, and no operator is woken for it.
    let refused = try await api.call(
        "POST", path, body: #"{"rules":{"nothing":"alert"}}"#, type: "application/json")
    try refused.expectProblem(.overloaded)
    #expect(refused.response.isOfTenant)
    #expect(!hasEnded.value)
    let answer = await tried
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(answer)")
    try await api.call(
        "POST", path, body: #"{"rules":{"nothing":"alert"}}"#, type: "application/json"
    ).expectProblem(.invalidPolicy, pointers: ["/rules/nothing"])
    await served.stop()
}

@Test(arguments: [
    ("POST", "/v1/policies/Match/what-if?after=1", true), ("POST", path, true),
    ("GET", path, false), ("POST", "/v1/events", false),
    ("POST", "/v1/policies/Match/check", false),
])
func `to try a policy ends when the client has gone`(
    method: String, target: String, ends: Bool
) {
    #expect(API.endsWithClient(Request(method: method, target: target)) == ends)
}

@Test func `a policy is not tried any more once the request was given up`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    let asking = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await api.call("POST", path, body: "{}", type: "application/json").status
    }
    #expect(try await asking.value == 503)
}

extension FakeStore {
    /// Records drivers of an order, one after the other, without a look at what is there.
    fileprivate func record(drivers: [String], of order: String, in tenant: TenantID) {
        let known = Int64(log(of: tenant).count)
        logs[tenant, default: []] += drivers.enumerated().map { index, driver in
            RecordedEvent(
                tenant: tenant, position: known + Int64(index) + 1,
                version: known + Int64(index) + 1, recordedAt: Self.now,
                event: NewEvent(
                    id: "driver-\(index)", source: "/test", type: "PizzaDelivery.DriverAssigned",
                    activityID: ActivityID(rawValue: order), occurredAt: Self.now,
                    data: Data(#"{"driverName":"\#(driver)"}"#.utf8)))
        }
    }
}

@Test(.timeLimit(.minutes(1)), arguments: [(5_300, false), (50_300, true)])
func `an activity is looked at to its end, or it is said that it is not`(
    events: Int, isPartial: Bool
) async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    // The second driver comes last.
    let drivers = Array(repeating: "Ada", count: events) + ["Grace"]
    await api.fake.record(drivers: drivers, of: "o-1", in: Harness.mine)
    let found = try await api.call(
        "POST", path + "?activity=o-1", body: #"{"rules":{"driverReassigned":"ambient"}}"#,
        type: "application/json"
    ).json()
    #expect(found["events"] == .integer(isPartial ? 50_000 : events + 2))
    #expect(found["changes"]?["removed"] == .integer(isPartial ? 0 : 1))
    #expect(found["activitiesPartial"] == .integer(isPartial ? 1 : 0))
    #expect(found["shown"]?.elements.first?["isPartial"] == .bool(isPartial))
}

@Test func `an activity is looked at beyond what another kind reports`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    _ = try await api.fake.append(
        Harness.mine,
        [
            NewEvent(
                id: "brewing", source: "/test", type: "CoffeeDelivery.BrewingStarted",
                activityID: ActivityID(rawValue: "o-1"), occurredAt: FakeStore.now,
                data: Data("{}".utf8))
        ], isAtomic: true)
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada", id: "after"))
    let found = try await api.call(
        "POST", path + "?activity=o-1", body: #"{"rules":{"driverAssigned":"ambient"}}"#,
        type: "application/json"
    ).json()
    #expect(found["activitiesLeftOut"] == .integer(0))
    #expect(found["activitiesAffected"] == .integer(1))
    #expect(found["changes"]?["removed"] == .integer(1))
}

@Test func `an alert is shown in the languages that a policy changes, or by its keys`()
    async throws
{
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada", id: "a"))
    try await api.fake.fold(Harness.mine)
    func tried(_ body: String) async throws -> JSON? {
        let found = try await api.call(
            "POST", path + "?activity=o-1", body: body, type: "application/json"
        ).json()
        #expect(found["changes"]?["reworded"] == .integer(1))
        #expect(found["triedInPart"] == .array([]))
        return found["shown"]?.elements.first?["alerts"]?["after"]?.elements.first
    }
    let german = try await tried(#"{"texts":{"de":{"driverAssigned.title":"Los gehts"}}}"#)
    #expect(german?["translations"]?["de"]?["title"]?.text == "Los gehts")
    let keys = try await tried(#"{"words":"keys"}"#)
    #expect(
        keys?["keys"]?["title"]?["loc-key"]?.text == "islet.PizzaDelivery.driverAssigned.title")
}

@Test func `a policy that the clock goes by is said to be tried in part`() async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada", id: "a"))
    try await api.fake.fold(Harness.mine)
    let found = try await api.call(
        "POST", path + "?activity=o-1",
        body: #"""
            {"quietHours":{"from":"00:00","to":"23:59","timeZone":"UTC"},
             "thresholds":{"overdueStepSeconds":60}}
            """#, type: "application/json"
    ).json()
    #expect(
        found["triedInPart"] == .array([.string("overdueStepSeconds"), .string("quietHours")]))
    #expect(found["changes"]?["keptBack"] == .integer(1))
    #expect(found["changes"]?["removed"] == .integer(0))
}
