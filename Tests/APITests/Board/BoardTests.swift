import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func ids(_ api: Harness, _ query: String) async throws -> [String] {
    let answer = try await api.get("/v1/board?\(query)")
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.json()["rows"]?.elements.compactMap { $0["id"]?.text } ?? []
}

/// Two orders and a match, folded.
private func board() async throws -> Harness {
    let api = await Harness()
    let events = [
        SampleEvents.placed("order-1", id: "p1"), SampleEvents.placed("order-2", id: "p2"),
        SampleEvents.assigned("order-1"),
        SampleEvents.scheduled("match-1", home: "Kestrels", competition: "Cup"),
    ]
    for event in events { #expect(try await api.post(event).status == 201) }
    try await api.fake.fold(Harness.mine)
    return api
}

@Test func `a line says what was sent last and for how many phones it was accepted`() async throws {
    let api = try await board()
    let row = try #require(try await api.get("/v1/board").json()["rows"]?.elements[1])
    #expect(row["id"]?.text == "order-1")
    #expect(row["title"]?.text?.contains("42") == true)
    #expect(row["said"]?["verdict"]?.text == "alert")
    #expect(row["delivery"]?["acceptedVersion"] == .integer(2))
    #expect(row["delivery"]?["upToDate"] == .integer(3))
    await api.fake.refuseKey(true)
    let refused = try #require(try await api.get("/v1/board").json()["rows"]?.elements[1])
    #expect(refused["delivery"]?["acceptedVersion"] == nil)
    #expect(refused["delivery"]?["waiting"] == .integer(3))
}

@Test(arguments: ["endGrace", "timeLimit", "restart", "goal"])
func `what was sent last is said in a sentence, when the clock brought it about too`(
    rule: String
) {
    var progress = DeliveryProgress()
    progress.said = DeliveryProgress.Said(
        version: 9, verdict: .end, rule: rule, decidedAt: Moment(unixSeconds: 1_800_000_000))
    let document = BoardDocument.deliveryProgress(progress, of: "Match")
    #expect(document["said"]?["why"]?.text?.hasSuffix(".") == true)
}

@Test func `a line of which a countdown is the end is left out`() async throws {
    let api = try await board()
    let match = try #require(try await api.get("/v1/board").json()["rows"]?.elements.first)
    #expect(match["title"]?.text?.contains("Kestrels") == true)
    #expect(match["line"] == nil)
}

@Test func `an activity is found by its title, its id, a beginning and any fact`() async throws {
    let api = try await board()
    #expect(try await ids(api, "search=order-2").first == "order-2")
    #expect(try await ids(api, "search=ORDER-") == ["order-1", "order-2"])
    #expect(try await ids(api, "search=ord%2042") == ["order-1", "order-2"])
    #expect(try await ids(api, "search=kest") == ["match-1"])
    #expect(try await ids(api, "search=cup%20kestrels") == ["match-1"])
    #expect(try await ids(api, "search=pizza&order=-id") == ["order-2", "order-1"])
    #expect(try await ids(api, "search=pizza&kind=Match") == [])
    #expect(try await ids(api, "search=--") == [])
}

@Test func `an activity is found by what its card says below the title`() async throws {
    let api = try await board()
    let late = SampleEvents.event(
        id: "late", type: "PizzaDelivery.EstimateRevised", subject: "order-2",
        data: #"{"estimatedAt":"2027-01-15T09:10:00Z","reason":"Thunderstorm outside"}"#)
    #expect(try await api.post(late).status == 201)
    try await api.fake.fold(Harness.mine)
    #expect(try await ids(api, "search=thunder") == ["order-2"])
}

@Test func `lines come in the order that is asked for, page by page`() async throws {
    let api = try await board()
    #expect(try await ids(api, "") == ["match-1", "order-1", "order-2"])
    #expect(try await ids(api, "order=-id") == ["order-2", "order-1", "match-1"])
    #expect(try await ids(api, "order=-change") == ["match-1", "order-1", "order-2"])
    for order in ["id", "-id", "-change"] {
        var next: String? = "/v1/board?limit=1&order=\(order)"
        var found: [String] = []
        while let target = next {
            let page = try await api.get(target).json()
            found += page["rows"]?.elements.compactMap { $0["id"]?.text } ?? []
            next = page["next"]?.text
        }
        #expect(found == (try await ids(api, "order=\(order)")))
    }
}

@Test(arguments: [
    "order=newest", "waiting=yes", "waiting=true&order=-change", "waiting=true&search=a",
    "search=%00", "late=perhaps", "kind=Nothing",
])
func `a question that makes no sense is refused with its parameter`(_ query: String) async throws {
    let api = await Harness()
    let answer = try await api.get("/v1/board?\(query)")
    let detail = try answer.expectProblem(.invalidParameter)["detail"]?.text
    #expect(detail?.hasPrefix("`") == true)
}

@Test func `what needs a hand names the app whose key is refused and the remedy`() async throws {
    let api = try await board()
    let calm = try await api.get("/v1/attention").json()
    #expect(calm["alarms"]?.elements.isEmpty == true)
    #expect(calm["hasPush"] == .bool(true))
    await api.fake.refuseKey(true)
    let attention = try await api.get("/v1/attention").json()
    let alarm = try #require(attention["alarms"]?.elements.first)
    #expect(alarm["bundleId"]?.text == "com.example.pizza")
    #expect(alarm["reason"]?.text == "InvalidProviderToken")
    #expect(alarm["remedy"]?.text?.isEmpty == false)
    #expect(attention["waiting"]?.elements.first?["phones"] == .integer(3))
}

@Test func `what needs a hand names what this node finds wrong with itself`() async throws {
    let api = await Harness(healthChecks: [
        HealthCheck(name: "appends") { .unhealthy("a standby is away") },
        HealthCheck(name: "folds") { .healthy("works") },
    ])
    let checks = try await api.get("/v1/attention").json()["checks"]?.elements
    #expect(checks?.map { $0["detail"]?.text } == ["a standby is away"])
}

@Test func `a key says its tenant and scopes`() async throws {
    let api = await Harness()
    let me = try await api.get("/v1/me", key: "only-activities:read").json()
    #expect(me["tenant"]?.text == "t1")
    #expect(me["scopes"]?.elements.compactMap(\.text) == ["activities:read"])
}

@Test func `a stream of rows tells each change in a line`() async throws {
    let api = try await board()
    var reader = try StreamReader(try await api.get("/v1/stream?view=rows").response)
    let message = try #require(try await reader.next())
    #expect(message.event == "row")
    #expect(message.data?["row"]?["title"]?.text?.isEmpty == false)
    #expect(message.data?["row"]?["contentState"] == nil)
    try await api.get("/v1/stream?view=cards").expectProblem(.invalidParameter)
}
