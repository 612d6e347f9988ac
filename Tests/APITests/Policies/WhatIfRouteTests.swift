import Foundation
import HTTP
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
func `whoever asks something small is answered while a policy is tried`() async throws {
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
    // One at a time of each tenant, and whoever has to wait is told so before anything is read.
    try await api.call(
        "POST", path, body: #"{"rules":{"nothing":"alert"}}"#, type: "application/json"
    ).expectProblem(.overloaded)
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
func `to try a policy ends when whoever asked has gone`(
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
