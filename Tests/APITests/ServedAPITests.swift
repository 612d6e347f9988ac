import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func post(_ json: String, key: String = "all") -> String {
    """
    POST /v1/events HTTP/1.1\r
    Host: islet\r
    Connection: close\r
    Authorization: Bearer \(key)\r
    Content-Type: application/json\r
    Content-Length: \(json.utf8.count)\r
    \r
    \(json)
    """
}

private func get(_ target: String, headers: String = "Authorization: Bearer all\r\n") -> String {
    "GET \(target) HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n\(headers)\r\n"
}

@Test(.timeLimit(.minutes(1)))
func `events go in and activities come out over real HTTP`() async throws {
    let api = await Harness()
    let served = try await ServedAPI.start(handler: api.handler)
    let posted = await served.exchange(post(SampleEvents.placed("o-1")))
    #expect(posted.hasPrefix("HTTP/1.1 201 Created\r\n"))
    try await api.fake.fold(Harness.mine)
    let activity = await served.exchange(get("/v1/activities/o-1"))
    #expect(activity.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(try body(of: activity)["kind"]?.text == "PizzaDelivery")
    let refused = await served.exchange(post("{", key: "all"))
    #expect(refused.hasPrefix("HTTP/1.1 400 "))
    #expect(try body(of: refused)["type"]?.text == Problem.malformedJSON.type)
    await served.stop()
}

@Test(.timeLimit(.minutes(1)))
func `HEAD over real HTTP has the length and no body`() async throws {
    let served = try await ServedAPI.start(handler: await Harness().handler)
    let answer = await served.exchange(
        "HEAD /openapi.json HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n"))
    let length = answer.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
    #expect(length > 10_000)
    await served.stop()
}

@Test(.timeLimit(.minutes(1)))
func `changes stream over real HTTP as they happen`() async throws {
    let api = await Harness()
    let served = try await ServedAPI.start(handler: api.handler)
    async let streamed = served.exchange(get("/v1/stream")) { $0.contains(#""id":"o-1""#) }
    _ = await served.exchange(post(SampleEvents.placed("o-1")))
    try await api.fake.fold(Harness.mine)
    let text = await streamed
    #expect(text.lowercased().contains("content-type: text/event-stream"))
    #expect(text.contains("event: activity\nid: 1\ndata: "))
    await served.stop()
}

@Test(.timeLimit(.minutes(1)))
func `what the server refuses by itself is a problem document too`() async throws {
    var limits = ServerLimits.standard
    limits.bodyBytesMax = 100
    limits.headBytesMax = 1000
    let served = try await ServedAPI.start(limits: limits, handler: await Harness().handler)
    let name = "X-Request-Id: mine\r\n"
    for (request, problem, isNamed) in [
        ("nonsense\r\n\r\n", Problem.malformedRequest, false),
        (
            post(String(repeating: " ", count: 101)).replacing("Host:", with: name + "Host:"),
            .bodyTooLarge, true
        ),
        (
            get("/", headers: name + "X: " + String(repeating: "x", count: 2000) + "\r\n"),
            .headersTooLarge, false
        ),
        (get("/", headers: name + "Expect: magic\r\n"), .unsupportedExpectation, true),
        (get("/", headers: "Expect: magic\r\n"), .unsupportedExpectation, false),
    ] {
        let answer = await served.exchange(request)
        let id = try #require(answer.firstMatch(of: /x-request-id: (\S+)/)?.1, "\(answer)")
        #expect((id == "mine") == isNamed)
        #expect(try body(of: answer)["requestId"]?.text == String(id))
        #expect(answer.contains("application/problem+json"), "\(answer)")
        #expect(try body(of: answer)["type"]?.text == problem.type)
        #expect(answer.hasPrefix("HTTP/1.1 \(problem.status) "))
    }
    await served.stop()
}

@Test(arguments: [
    (Rejection.Reason.malformed, Problem.malformedRequest), (.headTimeout, .requestTimeout),
    (.bodyTimeout, .requestTimeout), (.targetTooLong, .targetTooLong),
    (.headTooLarge, .headersTooLarge), (.bodyTooLarge, .bodyTooLarge),
    (.expectationUnknown, .unsupportedExpectation),
    (.transferCodingUnknown, .unsupportedTransferEncoding),
    (.versionUnknown, .unsupportedVersion), (.tooManyConnections, .overloaded),
    (.noRoomForBody, .overloaded), (.noRoomForAnswer, .overloaded),
    (.noRoomForOutcome, .outcomeUnknown),
])
func `every rejection has its problem with the status that the server means`(
    reason: Rejection.Reason, problem: Problem
) throws {
    let rejection = Rejection(reason, "Our own words.")
    let answer = Answer(
        response: API.rejection(rejection, of: Request(method: "GET", target: "/")))
    let document = try answer.expectProblem(problem)
    #expect(document["detail"]?.text == "Our own words.")
    #expect(answer.status == rejection.status)
    #expect((answer.header("retry-after") != nil) == (answer.status == 503))
    #expect(answer.header("x-content-type-options") == "nosniff")
    #expect(answer.header("x-request-id") == document["requestId"]?.text)
}
