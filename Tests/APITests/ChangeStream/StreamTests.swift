import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

@Test(.timeLimit(.minutes(1)))
func `a stream begins with everything there is and goes on with what changes`() async throws {
    let api = await Harness(limits: .patient)
    try await api.place("o-1")
    try await api.place("o-2")
    let answer = try await api.get("/v1/stream")
    #expect(answer.header("content-type") == "text/event-stream")
    var reader = try StreamReader(answer.response)
    let first = try await reader.next()
    #expect(first?.event == "activity")
    #expect(first?.id == 1)
    #expect(first?.data?["activity"]?["id"]?.text == "o-1")
    #expect(first?.data?["activity"]?["presentation"]?["compactLeading"] != nil)
    #expect(first?.data?["decision"]?["version"] == .integer(1))
    #expect(try await reader.next()?.id == 2)
    let ready = try await reader.next()
    #expect(ready?.event == "ready")
    #expect(ready?.data?["position"] == .integer(2))
    #expect(ready?.data?["now"]?.text == "2027-01-15T08:00:00Z")
    async let change = reader.next()
    try await api.place("o-3")
    #expect(try await change?.data?["activity"]?["id"]?.text == "o-3")
}

@Test(.timeLimit(.minutes(1)))
func `a stream resumes after the last message it was given`() async throws {
    let api = await Harness(limits: .patient)
    for name in ["o-1", "o-2", "o-3"] { try await api.place(name) }
    let answer = try await api.call("GET", "/v1/stream", headers: [("last-event-id", "2")])
    var reader = try StreamReader(answer.response)
    #expect(try await reader.next()?.id == 3)
    #expect(try await reader.next()?.event == "ready")
}

/// What a node remembers may have been erased while the reader was away.
@Test(.timeLimit(.minutes(1)))
func `a reader that comes back is first given all that is in the database`() async throws {
    let api = await Harness(limits: .patient)
    for number in 1...120 {
        _ = try await api.post(SampleEvents.placed("o-\(number)", id: "\(number)"))
    }
    try await api.fake.fold(Harness.mine)
    var reader = try StreamReader(try await api.get("/v1/stream?after=1").response)
    while let message = try await reader.next(), message.event == "activity" {}
    #expect(await api.fake.followings == [false, false, false, true])
}

@Test(.timeLimit(.minutes(1)))
func `a stream may begin with the latest position`() async throws {
    let api = await Harness(limits: .patient)
    for name in ["o-1", "o-2"] { try await api.place(name) }
    var reader = try StreamReader(try await api.get("/v1/stream?after=latest").response)
    let ready = try await reader.next()
    #expect(ready?.event == "ready")
    #expect(ready?.id == 2)
}

@Test(arguments: ["/v1/stream", "/v1/stream?view=rows", "/v1/events/stream"])
func `a client that remembers more than there is knows another log`(path: String) async throws {
    let api = await Harness(limits: .patient)
    try await api.place("o-1")
    for place in ["2", "900"] {
        let answer = try await api.call("GET", path, headers: [("last-event-id", place)])
        let document = try answer.expectProblem(.invalidParameter)
        #expect(document["detail"]?.text?.contains("ends at 1") == true, "\(path) \(place)")
        let mark = path.contains("?") ? "&" : "?"
        try await api.get("\(path)\(mark)after=\(place)").expectProblem(.invalidParameter)
    }
}

@Test(arguments: ["x", "-1", "1.5", "99999999999999999999"])
func `a last event id that no stream sent is refused`(id: String) async throws {
    let api = await Harness()
    try await api.call("GET", "/v1/stream", headers: [("last-event-id", id)])
        .expectProblem(.invalidParameter)
    try await api.get("/v1/stream?after=\(id)").expectProblem(.invalidParameter)
}

@Test(.timeLimit(.minutes(1)))
func `many changes are read page by page and none is left out`() async throws {
    let api = await Harness(limits: .patient)
    for number in 1...120 {
        _ = try await api.post(SampleEvents.placed("o-\(number)", id: "\(number)"))
    }
    try await api.fake.fold(Harness.mine)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    var ids: [Int64] = []
    while let message = try await reader.next(), message.event == "activity" {
        ids.append(message.id ?? 0)
    }
    #expect(ids == Array(1...120))
}

@Test(.timeLimit(.minutes(1)))
func `a slow reader is given the newest state of each activity once`() async throws {
    let api = await Harness(limits: .patient)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    #expect(try await reader.next()?.event == "ready")
    try await api.place("o-1")
    for driver in ["Ada", "Bob", "Cleo"] {
        _ = try await api.post(SampleEvents.assigned("o-1", driver: driver, id: driver))
        try await api.fake.fold(Harness.mine)
    }
    let message = try await reader.next()
    #expect(message?.id == 4)
    #expect(message?.data?["decision"]?["version"] == .integer(4))
}

@Test(.timeLimit(.minutes(1)))
func `a change is found by the slow poll when its notification was lost`() async throws {
    var limits = APILimits.patient
    limits.streamPollSeconds = 0.02
    let api = await Harness(limits: limits)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    #expect(try await reader.next()?.event == "ready")
    async let change = reader.next()
    await api.fake.silenceNotifications()
    try await api.place("o-1")
    #expect(try await change?.id == 1)
}

@Test(.timeLimit(.minutes(1)))
func `silence is broken by comments`() async throws {
    var limits = APILimits.patient
    limits.streamHeartbeatSeconds = 0.02
    let api = await Harness(limits: limits)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    #expect(try await reader.next()?.event == "ready")
    #expect(try await reader.next(comments: true) == Message())
    #expect(try await reader.next(comments: true) == Message())
}

@Test(.timeLimit(.minutes(1)))
func `a stream ends when its key is revoked`() async throws {
    var limits = APILimits.patient
    limits.streamPollSeconds = 0.02
    limits.keyCacheSeconds = 0
    let api = await Harness(limits: limits)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    #expect(try await reader.next()?.event == "ready")
    await api.revoke("all")
    #expect(try await reader.next() == nil)
}

@Test(.timeLimit(.minutes(1)))
func `a stream outlives a store that is away for a while`() async throws {
    var limits = APILimits.patient
    limits.streamPollSeconds = 0.02
    let api = await Harness(limits: limits)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    #expect(try await reader.next()?.event == "ready")
    _ = try await api.post(SampleEvents.placed("o-1"))
    try await api.fake.fold(Harness.mine)
    await api.fake.fail(with: .unavailable(detail: ""))
    async let change = reader.next()
    await api.fake.fail(with: nil)
    #expect(try await change?.id == 1)
}

@Test(.timeLimit(.minutes(1)))
func `a stream whose reader is cancelled ends`() async throws {
    let api = await Harness(limits: .patient)
    var reader = try StreamReader(try await api.get("/v1/stream").response)
    #expect(try await reader.next()?.event == "ready")
    let response = try await api.get("/v1/stream").response
    let task = Task { () -> Int in
        var count = 0
        var other = try StreamReader(response)
        while try await other.next() != nil { count += 1 }
        return count
    }
    task.cancel()
    #expect(try await task.value <= 1)
}

@Test(.timeLimit(.minutes(1)))
func `another tenant's stream is silent about mine`() async throws {
    let api = await Harness(limits: .patient)
    try await api.place("o-1")
    var reader = try StreamReader(try await api.get("/v1/stream", key: "theirs").response)
    let ready = try await reader.next()
    #expect(ready?.event == "ready")
    #expect(ready?.data?["position"] == .integer(0))
    async let change = reader.next()
    try await api.place("o-2")
    _ = try await api.post(SampleEvents.assigned("t-1"), key: "theirs")
    try await api.fake.fold(Harness.theirs)
    #expect(try await change?.data?["activity"]?["id"]?.text == "t-1")
}
