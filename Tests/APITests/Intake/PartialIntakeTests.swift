import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func post(_ api: Harness, _ body: String) async throws -> Answer {
    try await api.call("POST", "/v1/events?partial=true", body: body, type: "application/json")
}

@Test func `a partial batch records what is good and tells the problems of the rest`() async throws
{
    let api = await Harness()
    _ = try await api.post(SampleEvents.assigned("o-1", driver: "Ada"))
    let late = SampleEvents.event(
        id: "late", type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{}",
        extra: #""expectedversion":9,"#)
    let bad = SampleEvents.event(
        id: "bad", type: "PizzaDelivery.DriverLocated", subject: "o-1",
        data: #"{"distanceMeters":-1,"estimatedAt":"soon"}"#)
    let answer = try await post(
        api,
        "[\(SampleEvents.placed("o-1")),\(SampleEvents.assigned("o-1")),\(late),\(bad),7,"
            + "\(SampleEvents.assigned("o-1", driver: "Bob")),\(SampleEvents.placed("o-1"))]")
    #expect(answer.status == 207)
    let rows = try answer.json()["events"]?.elements ?? []
    #expect(
        rows.map { $0["outcome"]?.text } == [
            "recorded", "already-known", "conflict", "refused", "refused", "conflict",
            "already-known",
        ])
    let pointers = rows.map { row in
        row["problems"]?.elements.compactMap { $0["pointer"]?.text } ?? []
    }
    #expect(
        pointers == [
            [], [], ["/2/expectedversion"], ["/3/data/distanceMeters", "/3/data/estimatedAt"],
            ["/4"], ["/5/id"], [],
        ])
    #expect(rows[2]["problems"]?.elements.first?["actualVersion"] == .integer(2))
    #expect(rows[2]["problems"]?.elements.first?["expectedVersion"] == .integer(9))
    #expect(rows[3]["id"]?.text == "bad")
    #expect(rows[4].names == ["id", "source", "outcome", "problems"])
    #expect(rows[5]["problems"]?.elements.first?["position"] == .integer(1))
    #expect(await api.fake.log(of: Harness.mine).map(\.event.id) == ["assigned", "placed"])
}

@Test func `a partial batch without a problem is answered like any other`() async throws {
    let api = await Harness()
    #expect(try await post(api, SampleEvents.placed("o-1")).status == 201)
    #expect(try await post(api, "[\(SampleEvents.placed("o-1"))]").status == 200)
    #expect(try await post(api, "[]").status == 200)
    #expect(try await post(api, "[7]").status == 207)
    try await post(api, "[").expectProblem(.malformedJSON)
    let wrong = try await api.call(
        "POST", "/v1/events?partial=yes", body: "[]", type: "application/json")
    try wrong.expectProblem(.invalidParameter)
}

@Test func `one answer has all problems of an event's data`() async throws {
    let api = await Harness()
    let data = #"{"orderNumber":"","numberOfPizzas":"2","promisedAt":"2027-01-15T08:40:00"}"#
    let answer = try await api.post(
        SampleEvents.event(
            id: "1", type: "PizzaDelivery.OrderPlaced", subject: "o-1", data: data))
    try answer.expectProblem(
        .invalidEventData,
        pointers: [
            "/data/orderNumber", "/data/numberOfPizzas", "/data/totalAmount", "/data/promisedAt",
        ])
}

@Test func `fields that the type does not have are kept and counted`() async throws {
    let api = await Harness()
    let data = #"{"driverName":"Ada","vehicle":"bike","estimatedAT":null,"rating":{"stars":5}}"#
    let odd = SampleEvents.event(
        id: "1", type: "PizzaDelivery.DriverAssigned", subject: "o-1", data: data)
    let rows = try await api.post("[\(odd),\(SampleEvents.placed("o-1"))]").json()["events"]
    #expect(rows?.elements[0]["unknownFields"] == .integer(3))
    #expect(rows?.elements[1]["unknownFields"] == nil)
    let again = try await api.post(odd).json()["events"]?.elements.first
    #expect(again?["unknownFields"] == .integer(3))
}

@Test(arguments: [
    ("PizzaDelivery.DriverAsigned", "`PizzaDelivery.DriverAssigned`"),
    ("pizzadelivery.orderplaced", "`PizzaDelivery.OrderPlaced`"),
    ("OrderPlaced", "`PizzaDelivery.OrderPlaced`"), ("com.feed.GoalScored", "`Match.GoalScored`"),
    ("Chess.Mate", "GET /v1/schemas"), (String(repeating: "x", count: 200), "GET /v1/schemas"),
])
func `an unknown type is answered with the closest ones`(type: String, hint: String) async throws {
    let api = await Harness()
    let answer = try await api.post(
        SampleEvents.event(id: "1", type: type, subject: "o-1", data: "[]"))
    let document = try answer.expectProblem(.invalidEvents, pointers: ["/data", "/type"])
    let detail = document["errors"]?.elements.last?["detail"]?.text
    #expect(detail?.contains(hint) == true, "\(detail ?? "")")
}

@Test func `every released schema version is taken and checked by its own fields`() async throws {
    let api = await Harness()
    func kick(_ id: String, _ result: String, _ extra: String) -> String {
        SampleEvents.event(
            id: id, type: "Match.ShootoutKickTaken", subject: "m-1",
            data: #"{"number":1,"team":"home",\#(result)}"#, extra: extra)
    }
    #expect(try await api.post(kick("1", #""scored":true"#, "")).status == 201)
    let newest = kick("2", #""result":"saved""#, #""schemaversion":2,"#)
    #expect(try await api.post(newest).status == 201)
    try await api.post(kick("3", #""scored":true"#, #""schemaversion":2,"#))
        .expectProblem(.invalidEventData, pointers: ["/data/result"])
    let unknown = try await api.post(kick("4", #""scored":true"#, #""schemaversion":3,"#))
    let document = try unknown.expectProblem(.unknownSchemaVersion, pointers: ["/schemaversion"])
    #expect(document["detail"]?.text?.contains("1 to 2") == true)
    let log = await api.fake.log(of: Harness.mine)
    #expect(log.map(\.event.schemaVersion) == [1, 2])
}

@Test func `two events of a batch that claim one id are both named`() async throws {
    let api = await Harness()
    let answer = try await api.post(
        "[\(SampleEvents.placed("o-1")),\(SampleEvents.assigned("o-1", driver: "Ada")),"
            + "\(SampleEvents.assigned("o-1", driver: "Bob"))]")
    let document = try answer.expectProblem(.contentConflict, pointers: ["/2/id"])
    #expect(document["errors"]?.elements.first?["earlierIndex"] == .integer(1))
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
}

@Test func `of many events that claim one id each is named with the first`() async throws {
    let api = await Harness()
    let drivers = ["Ada", "Bob", "Cleo", "Dan"].map { SampleEvents.assigned("o-1", driver: $0) }
    let events = [SampleEvents.placed("o-1")] + drivers
    let document = try await api.post("[\(events.joined(separator: ","))]")
        .expectProblem(.contentConflict, pointers: ["/2/id", "/3/id", "/4/id"])
    let earlier = (document["errors"]?.elements ?? []).map { $0["earlierIndex"] }
    #expect(earlier == [1, 1, 1].map { .integer($0) })
}
