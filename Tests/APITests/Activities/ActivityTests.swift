import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

@Test func `an activity is shown with its state and what a phone shows`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    let answer = try await api.get("/v1/activities/o-1")
    #expect(answer.status == 200)
    #expect(answer.header("cache-control") == "private, no-cache")
    let activity = try answer.json()
    #expect(activity["id"]?.text == "o-1")
    #expect(activity["kind"]?.text == "PizzaDelivery")
    #expect(activity["phase"]?.text == "live")
    #expect(activity["version"] == .integer(2))
    #expect(activity["contentState"]?["driverName"]?.text == "Ada")
    #expect(activity["attributes"]?["orderNumber"]?.text == "42")
    #expect(activity["presentation"]?["lockScreen"]?.elements.isEmpty == false)
    #expect(activity["updatedAt"]?.text == "2027-01-15T08:00:00Z")
    #expect(activity.names.contains("fault"))
    #expect(activity["fault"] == nil)
}

@Test func `a blocked activity says so and still shows its last good state`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    await api.fake.block(Harness.mine, ActivityID(rawValue: "o-1"), "no such kind", kind: "Gone")
    let activity = try await api.get("/v1/activities/o-1").json()
    #expect(activity["fault"]?.text == "no such kind")
    #expect(activity["presentation"] == nil)
    #expect(activity["contentState"]?["driverName"]?.text == "Ada")
}

@Test func `an id is decoded from the path, slashes and all`() async throws {
    let api = try await Harness.withOrders(["a/b c?ü"])
    let answer = try await api.get("/v1/activities/a%2Fb%20c%3F%C3%BC")
    #expect(try answer.json()["id"]?.text == "a/b c?ü")
    let page = try await api.get("/v1/activities/a%2Fb%20c%3F%C3%BC/events?limit=1").json()
    let next = try #require(page["next"]?.text)
    #expect(next == "/v1/activities/a%2Fb%20c%3F%C3%BC/events?after=1&limit=1")
    #expect(try await api.get(next).json()["events"]?.elements.count == 1)
}

@Test(arguments: ["%", "%4", "%zz", "%FF", "%C3%28"])
func `a path that is not percent-encoded UTF-8 is refused`(segment: String) async throws {
    let api = await Harness()
    try await api.get("/v1/activities/\(segment)").expectProblem(.invalidParameter)
}

@Test(arguments: ["a%00b", "a%0Ab", String(repeating: "x", count: 201)])
func `an id that no activity can have is refused`(segment: String) async throws {
    let api = await Harness()
    try await api.get("/v1/activities/\(segment)").expectProblem(.invalidParameter)
}

@Test func `activities are listed page by page without gap or repetition`() async throws {
    let orders = (1...7).map { "o-\($0)" }
    let api = try await Harness.withOrders(orders)
    var next: String? = "/v1/activities?limit=3"
    var seen: [String] = []
    var pages = 0
    while let target = next {
        let page = try await api.get(target).json()
        seen += page["activities"]?.elements.compactMap { $0["id"]?.text } ?? []
        next = page["next"]?.text
        pages += 1
    }
    #expect(seen == orders)
    #expect(pages == 3)
}

@Test func `a full last page has no next one`() async throws {
    let api = try await Harness.withOrders(["o-1", "o-2"])
    let page = try await api.get("/v1/activities?limit=2").json()
    #expect(page["activities"]?.elements.count == 2)
    #expect(page["next"] == nil)
}

@Test(arguments: ["limit=0", "limit=501", "limit=x", "limit=", "after=", "after=%FF", "%zz=1"])
func `a page that cannot be is refused`(query: String) async throws {
    let api = await Harness()
    try await api.get("/v1/activities?\(query)").expectProblem(.invalidParameter)
}

@Test func `the ledger says why each push was sent and its result`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    let page = try await api.get("/v1/activities/o-1/decisions").json()
    let rows = page["decisions"]?.elements ?? []
    #expect(rows.map { $0["version"] } == [.integer(1), .integer(2)])
    let assigned = try #require(rows.last)
    #expect(assigned["verdict"]?.text == "alert")
    #expect(assigned["significance"]?.text == "alert")
    #expect(assigned["rulesVersion"] != nil)
    #expect(assigned["news"]?["subject"]?.text == "driver")
    #expect(assigned["alert"]?["title"]?.text?.isEmpty == false)
    #expect(assigned["reason"]?.text?.isEmpty == false)
    #expect(assigned["outcome"]?["accepted"] == .integer(2))
    #expect(assigned["outcome"]?["phones"] == .integer(3))
    #expect(assigned["presentation"]?["lockScreen"]?.elements.isEmpty == false)
    let rest = try await api.get("/v1/activities/o-1/decisions?after=1").json()
    #expect(rest["decisions"]?.elements.count == 1)
    // A page's first row differs from the last one of the page before.
    let second = try #require(rest["decisions"]?.elements.first)
    #expect(second == rows.last)
    #expect(second["event"]?["type"]?.text == "PizzaDelivery.DriverAssigned")
    #expect(second["event"]?["data"] == nil)
    #expect(second["changes"]?.elements.map { $0["member"]?.text } == ["driverName"])
    let bytes = second["contentState"]?.bytes.count ?? 0
    #expect(second["bytes"] == .integer(bytes))
    let end = try await api.get("/v1/activities/o-1/decisions?after=2").json()
    #expect(end["decisions"] == .array([]))
}

@Test func `a row of before significances were kept has none`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    await api.fake.revise(Harness.mine, ActivityID(rawValue: "o-1"), 1) { row in
        row.decision.significance = nil
    }
    let rows = try await api.get("/v1/activities/o-1/decisions").json()["decisions"]?.elements
    #expect(rows?.map { $0.names.contains("significance") } == [false, true])
}

@Test func `an order says that fresh cards take the place of old ones, where they do`()
    async throws
{
    let api = try await Harness.withOrders(["o-1"])
    for version in 1...2 as ClosedRange<Int64> {
        await api.fake.revise(Harness.mine, ActivityID(rawValue: "o-1"), version) { row in
            row.decision.order = PushOrder()
            row.decision.order?.restarts = version == 2
        }
    }
    let rows = try await api.get("/v1/activities/o-1/decisions").json()["decisions"]?.elements
    #expect(rows?.map { $0["order"]?.names.contains("restarts") } == [false, true])
    #expect(rows?.last?["order"]?["restarts"] == .bool(true))
}

@Test func `events are read back as the CloudEvents that were sent`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    let page = try await api.get("/v1/activities/o-1/events").json()
    let event = try #require(page["events"]?.elements.last)
    #expect(event["specversion"]?.text == "1.0")
    #expect(event["id"]?.text == "assigned-o-1")
    #expect(event["type"]?.text == "PizzaDelivery.DriverAssigned")
    #expect(event["subject"]?.text == "o-1")
    #expect(event["time"]?.text == "2027-01-15T08:00:00Z")
    #expect(event["data"]?["driverName"]?.text == "Ada")
    #expect(event["position"] == .integer(2))
    #expect(event["version"] == .integer(2))
    // What is read can be sent again and changes nothing.
    let again = try await api.post(String(decoding: event.bytes, as: UTF8.self))
    #expect(try again.json()["events"]?.elements.first?["outcome"]?.text == "already-known")
    let end = try await api.get("/v1/activities/o-1/events?after=2")
    #expect(try end.json()["events"] == .array([]))
}

@Test(arguments: ["after=-1", "after=x", "after=99999999999999999999", "limit=1000"])
func `a place to read on from that cannot be is refused`(query: String) async throws {
    let api = try await Harness.withOrders(["o-1"])
    for list in ["decisions", "events"] {
        try await api.get("/v1/activities/o-1/\(list)?\(query)").expectProblem(.invalidParameter)
    }
}

@Test(arguments: ["", "/decisions", "/events", "/events?after=5"])
func `an unknown activity is a 404 on every route`(rest: String) async throws {
    let api = try await Harness.withOrders(["o-1"])
    try await api.get("/v1/activities/o-2\(rest)").expectProblem(.unknownActivity)
}

@Test(arguments: ["", "/decisions", "/events"])
func `another tenant's activity looks absent`(rest: String) async throws {
    let api = try await Harness.withOrders(["o-1"])
    func ask(_ id: String) async throws -> Answer {
        try await api.call(
            "GET", "/v1/activities/\(id)\(rest)", key: "theirs", headers: [("x-request-id", "1")])
    }
    let (theirs, absent) = (try await ask("o-1"), try await ask("never"))
    #expect(theirs.status == 404)
    #expect(theirs.bytes == absent.bytes)
    #expect(theirs.response.headers == absent.response.headers)
}

@Test func `another tenant's list is empty`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    let page = try await api.get("/v1/activities", key: "theirs").json()
    #expect(page["activities"] == .array([]))
}

@Test func `equal ids of two tenants are two activities`() async throws {
    let api = try await Harness.withOrders(["o-1"])
    let answer = try await api.post(SampleEvents.assigned("o-1", driver: "Eve"), key: "theirs")
    #expect(try answer.json()["events"]?.elements.first?["position"] == .integer(1))
    try await api.fake.fold(Harness.theirs)
    let mine = try await api.get("/v1/activities/o-1").json()
    #expect(mine["contentState"]?["driverName"]?.text == "Ada")
    let theirs = try await api.get("/v1/activities/o-1", key: "theirs").json()
    #expect(theirs["contentState"]?["driverName"]?.text == "Eve")
}
