import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Testing

@testable import API

private func fill(_ api: Harness) async throws {
    for number in 1...3 {
        _ = try await api.post(SampleEvents.placed("o-\(number)", id: "p\(number)"))
        _ = try await api.post(SampleEvents.assigned("o-\(number)", id: "a\(number)"))
    }
}

private func ids(_ answer: Answer) throws -> [String] {
    try answer.json()["events"]?.elements.compactMap { $0["id"]?.text } ?? []
}

@Test func `the log is read page by page, in order and to its end`() async throws {
    let api = await Harness()
    try await fill(api)
    var path = "/v1/events?limit=4"
    var seen: [String] = []
    for count in [4, 2, 0] {
        let answer = try await api.get(path)
        let page = try ids(answer)
        #expect(page.count == count)
        seen += page
        #expect(try answer.json()["head"] == .integer(6))
        path = try #require(try answer.json()["next"]?.text)
    }
    #expect(seen == ["p1", "a1", "p2", "a2", "p3", "a3"])
    #expect(path == "/v1/events?after=6&limit=4")
    let event = try await api.get("/v1/events?limit=1").json()["events"]?.elements.first
    #expect(event?["position"] == .integer(1))
    #expect(event?["version"] == .integer(1))
    #expect(event?["type"]?.text == "PizzaDelivery.OrderPlaced")
    #expect(event?["recordedat"]?.text != nil)
}

@Test func `the log is filtered by type and activity`() async throws {
    let api = await Harness()
    try await fill(api)
    let assigned = "type=PizzaDelivery.DriverAssigned"
    for (query, expected) in [
        (assigned, ["a1", "a2", "a3"]), ("activity=o-2", ["p2", "a2"]),
        ("activity=o-2&\(assigned)", ["a2"]),
        ("\(assigned)%2CPizzaDelivery.OrderPlaced&after=3", ["a2", "p3", "a3"]),
        ("activity=none", []), ("type=Match.GoalScored", []),
    ] {
        let answer = try await api.get("/v1/events?\(query)")
        #expect(try ids(answer) == expected, "\(query)")
        #expect(try answer.json()["position"] == .integer(6))
    }
    let page = try await api.get("/v1/events?limit=1&activity=o%2F1&wait=0").json()
    #expect(page["next"]?.text == "/v1/events?after=6&activity=o%2F1&limit=1&wait=0")
}

@Test(arguments: [
    "after=-1", "after=x", "limit=0", "limit=501", "wait=-1", "wait=26", "wait=1.5", "activity=",
    "type=", "type=Match.GoalScored,", "type=Match.GoalScore", "after=7",
    "type=" + Array(repeating: "Match.GoalScored", count: 51).joined(separator: ","),
])
func `a question about the log that makes no sense is refused`(query: String) async throws {
    let api = await Harness()
    try await fill(api)
    try await api.get("/v1/events?\(query)").expectProblem(.invalidParameter)
    guard !query.hasPrefix("limit"), !query.hasPrefix("wait") else { return }
    try await api.get("/v1/events/stream?\(query)").expectProblem(.invalidParameter)
}

@Test(arguments: ActivityClock.Event.allCases.map(\.type))
func `an event of the clock is found by its type, and reported by nobody`(
    type: String
) async throws {
    let api = await Harness()
    try await fill(api)
    let event = NewEvent(
        id: "tick", source: ActivityClock.source, type: type,
        activityID: ActivityID(rawValue: "o-1"), occurredAt: api.time.value,
        data: Data("{}".utf8))
    _ = try await api.fake.append(Harness.mine, [event], isAtomic: true)
    let alone = try await api.get("/v1/events?type=\(type)")
    #expect(try ids(alone) == ["tick"])
    let both = try await api.get(
        "/v1/events?type=\(type),PizzaDelivery.OrderPlaced&activity=o-1")
    #expect(try ids(both) == ["p1", "tick"])
    #expect(try await api.get("/v1/events/stream?type=\(type)").status == 200)
    let reported = SampleEvents.event(id: "1", type: type, subject: "o-1", data: "{}")
    try await api.post(reported).expectProblem(.unknownEventType)
    try await api.get("/v1/schemas/\(type)").expectProblem(.unknownSchema)
}

@Test func `a mistyped type of the clock's is answered with the right one`() async throws {
    let problem = try await Harness().get("/v1/events?type=ActivityClock.Dismised")
        .expectProblem(.invalidParameter)
    #expect(problem["detail"]?.text?.contains("`ActivityClock.Dismissed`") == true, "\(problem)")
}

@Test func `another tenant's log is another log`() async throws {
    let api = await Harness()
    try await fill(api)
    let page = try await api.get("/v1/events", key: "theirs").json()
    #expect(page["events"] == .array([]))
    #expect(page["head"] == .integer(0))
}

@Test(.timeLimit(.minutes(1)))
func `a reader at the end waits for what comes, and not for what it does not want`() async throws {
    var limits = APILimits.standard
    limits.streamPollSeconds = 60
    let api = await Harness(limits: limits)
    try await fill(api)
    async let waiting = api.get("/v1/events?after=6&wait=25&activity=o-9")
    try await Task.sleep(for: .milliseconds(50))
    _ = try await api.post(SampleEvents.placed("o-8", id: "unwanted"))
    _ = try await api.post(SampleEvents.placed("o-9", id: "wanted"))
    let answer = try await waiting
    #expect(try ids(answer) == ["wanted"])
    #expect(try answer.json()["position"] == .integer(8))
}

@Test(.timeLimit(.minutes(1)))
func `a wait in vain ends with an empty page that can be gone on from`() async throws {
    let api = await Harness()
    try await fill(api)
    let start = ContinuousClock.now
    let answer = try await api.get("/v1/events?after=6&wait=1")
    #expect(start.duration(to: .now) >= .seconds(1))
    #expect(try ids(answer) == [])
    #expect(try answer.json()["next"]?.text == "/v1/events?after=6&wait=1")
}

@Test(.timeLimit(.minutes(1)))
func `the log is followed from any position, with a filter or without`() async throws {
    var limits = APILimits.standard
    limits.streamPollSeconds = 60
    let type = "type=PizzaDelivery.OrderPlaced"
    for (query, lastID, expected) in [
        ("", nil, ["p1", "a1", "p2", "a2", "p3", "a3", "new"]),
        ("?after=4", nil, ["p3", "a3", "new"]),
        ("?after=4", "5", ["a3", "new"]), ("?after=latest", nil, ["new"]),
        ("?after=2&\(type)", nil, ["p2", "p3", "new"]), ("?activity=o-3", "5", ["a3"]),
    ] as [(String, String?, [String])] {
        let api = await Harness(limits: limits)
        try await fill(api)
        let answer = try await api.call(
            "GET", "/v1/events/stream\(query)",
            headers: lastID.map { [("last-event-id", $0)] } ?? [])
        #expect(answer.header("content-type") == "text/event-stream")
        var reader = try StreamReader(answer.response)
        if expected.last == "new" {
            _ = try await api.post(SampleEvents.placed("o-4", id: "new"))
        }
        for id in expected {
            let message = try await reader.next()
            #expect(message?.event == "recorded")
            #expect(message?.data?["id"]?.text == id, "\(query)")
            #expect(message?.id.map { JSON.integer($0) } == message?.data?["position"])
        }
    }
}

@Test(.timeLimit(.minutes(1)))
func `a stream of the latest that broke at once goes on where it began`() async throws {
    let api = await Harness(limits: .patient)
    try await fill(api)
    let path = "/v1/events/stream?after=latest"
    var first = try StreamReader(try await api.get(path).response)
    #expect(try await first.next(comments: true)?.id == 6)
    _ = try await api.post(SampleEvents.placed("o-4", id: "missed"))
    let answer = try await api.call("GET", path, headers: [("last-event-id", "6")])
    var second = try StreamReader(answer.response)
    #expect(try await second.next()?.data?["id"]?.text == "missed")
}

@Test(.timeLimit(.minutes(1)))
func `a stream in which nothing passes the filter still moves its id on`() async throws {
    var limits = APILimits.standard
    limits.streamHeartbeatSeconds = 0.05
    let api = await Harness(limits: limits)
    try await fill(api)
    let answer = try await api.get("/v1/events/stream?type=Match.GoalScored")
    var reader = try StreamReader(answer.response)
    #expect(try await reader.next(comments: true)?.id == 0)
    #expect(try await reader.next(comments: true)?.id == 6)
    await api.revoke("all")
    api.time.value = api.time.value.adding(seconds: 10)
    while try await reader.next(comments: true) != nil {}
}
