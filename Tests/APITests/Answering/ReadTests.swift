import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func conditional(_ api: Harness, _ target: String, _ tag: String) async throws -> Answer {
    try await api.call("GET", target, headers: [("if-none-match", tag)])
}

// MARK: Freshness

@Test func `an activity says how far it may be behind the log`() async throws {
    let api = try await Harness.withOrders()
    let fresh = try await api.get("/v1/activities/o-1")
    #expect(try fresh.json()["freshness"]?["behind"] == .integer(0))
    _ = try await api.post(SampleEvents.placed("o-2", id: "p2"))
    let answer = try await api.get("/v1/activities/o-1")
    let activity = try answer.json()
    #expect(activity["freshness"]?["position"] == .integer(2))
    #expect(activity["freshness"]?["head"] == .integer(3))
    #expect(activity["freshness"]?["behind"] == .integer(1))
    #expect(activity["state"]?["driverName"]?["value"]?.text == "Ada")
    #expect(activity["staleAt"]?.text != nil)
    #expect(activity["isStale"] == .bool(false))
    #expect(activity["facts"]?["promisedAt"]?.text == "2027-01-15T08:40:00Z")
    #expect(answer.header("islet-position") == "2")
    #expect(answer.header("islet-head") == "3")
}

// MARK: Conditional requests

@Test(
    arguments: [
        "/v1/activities/o-1", "/v1/activities", "/v1/activities/o-1/decisions",
        "/v1/activities/o-1/events", "/v1/activities/o-1/state?version=1", "/v1/scoreboard",
    ])
func `what a client has already is not sent again`(target: String) async throws {
    let api = try await Harness.withOrders()
    let first = try await api.get(target)
    let tag = try #require(first.header("etag"))
    for field in [tag, "\"other\", \(tag)", "*", String(tag.dropFirst(2))] {
        let again = try await conditional(api, target, field)
        #expect(again.status == 304, "\(field)")
        #expect(again.bytes.isEmpty)
        #expect(again.header("etag") == tag)
    }
    let other = try await conditional(api, target, "W/\"0\", \"\"")
    #expect(other.status == 200)
    #expect(other.bytes == first.bytes)
}

@Test func `a tag is valid while only the log goes on, and not when the activity changes`()
    async throws
{
    let api = try await Harness.withOrders()
    let tag = try #require(try await api.get("/v1/activities/o-1").header("etag"))
    _ = try await api.post(SampleEvents.placed("o-2", id: "p2"))
    let behind = try await conditional(api, "/v1/activities/o-1", tag)
    #expect(behind.status == 304)
    #expect(behind.header("islet-head") == "3")
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Bob", id: "a2"))
    try await api.fake.fold(Harness.mine)
    let changed = try await conditional(api, "/v1/activities/o-1", tag)
    #expect(changed.status == 200)
    #expect(try changed.json()["contentState"]?["driverName"]?.text == "Bob")
}

@Test func `an overview's tag is valid while only time passes`() async throws {
    let api = try await Harness.withOrders()
    let tag = try #require(try await api.get("/v1/overview").header("etag"))
    api.time.value = api.time.value.adding(seconds: 5)
    let later = try await conditional(api, "/v1/overview", tag)
    #expect(later.status == 304)
}

@Test func `an overview's tag stands for what the tenant keeps and may keep too`() async throws {
    let usage = Lever<TenantUsage?>(nil)
    let api = await Harness(usage: { _ in usage.value })
    let tag = try #require(try await api.get("/v1/overview").header("etag"))
    usage.value = TenantUsage(events: 1, bytes: 200)
    let counted = try await conditional(api, "/v1/overview", tag)
    #expect(counted.status == 200)
    #expect(try counted.json()["storage"]?["bytes"] == .integer(200))
    let newTag = try #require(counted.header("etag"))
    #expect(try await conditional(api, "/v1/overview", newTag).status == 304)
    await api.fake.grant(
        "bounded",
        KeyGrant(
            keyID: 99, tenant: Tenant(id: Harness.mine, name: "t1"), scopes: [.activitiesRead],
            limits: TenantLimits(storedEventsMax: 100)))
    let bounded = try await api.call(
        "GET", "/v1/overview", key: "bounded", headers: [("if-none-match", newTag)])
    #expect(bounded.status == 200)
    #expect(try bounded.json()["storage"]?["eventsMax"] == .integer(100))
}

// MARK: Reading one's writes

@Test(
    .timeLimit(.minutes(1)),
    arguments: [
        "/v1/activities/o-1", "/v1/activities", "/v1/scoreboard", "/v1/overview",
        "/v1/activities/o-1/decisions",
    ])
func `an answer waits for the position that it has to know`(target: String) async throws {
    let api = await Harness()
    _ = try await api.post(SampleEvents.placed("o-1"))
    async let waiting = api.get("\(target)?wait=1")
    await Task.yield()
    try await api.fake.fold(Harness.mine)
    let answer = try await waiting
    #expect(answer.status == 200)
    #expect(!target.hasSuffix("o-1") || answer.header("islet-position") == "1")
}

@Test func `an answer that takes too long is a 503 that says when to come back`() async throws {
    var limits = APILimits.standard
    limits.readWaitSeconds = 0.02
    let api = await Harness(limits: limits)
    _ = try await api.post(SampleEvents.placed("o-1"))
    let answer = try await api.get("/v1/activities/o-1?wait=1")
    let problem = try answer.expectProblem(.projectionBehind)
    #expect(problem["position"] == .integer(0))
    #expect(problem["head"] == .integer(1))
    #expect(answer.header("retry-after") == "2")
}

@Test(arguments: ["3", "-1", "x", "", "99999999999999999999"])
func `a position that cannot be waited for is refused`(position: String) async throws {
    let api = try await Harness.withOrders()
    try await api.get("/v1/activities/o-1?wait=\(position)").expectProblem(.invalidParameter)
}
