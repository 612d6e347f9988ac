import Domain
import EventStore
import HTTP
import JSON
import TestSupport
import Testing

@testable import API

private func head(
    _ line: String, key: String? = "all", count: Int, type: String = "application/json",
    _ more: String = ""
) -> String {
    "\(line) HTTP/1.1\r\nHost: islet\r\n\(key.map { "Authorization: Bearer \($0)\r\n" } ?? "")"
        + "Content-Type: \(type)\r\nContent-Length: \(count)\r\n\(more)\r\n"
}

/// The API served with its admission.
private func withService(
    _ body: (Harness, ServedAPI) async throws -> Void
) async throws {
    let api = await Harness()
    let served = try await ServedAPI.start(admission: api.admission, handler: api.handler)
    try await body(api, served)
    await served.stop()
}

@Suite(.timeLimit(.minutes(1))) struct AdmissionTests {
    @Test func `a large body is refused by its head alone, and says why`() async throws {
        try await withService { _, served in
            let count = 500_000
            for (request, problem) in [
                (head("POST /v1/events", key: nil, count: count), Problem.missingKey),
                (head("POST /v1/events", key: "wrong", count: count), .invalidKey),
                (head("POST /v1/events", key: "only-activities:read", count: count), .missingScope),
                (head("POST /v1/nothing", count: count), .unknownRoute),
                (head("PUT /v1/events", count: count), .methodNotAllowed),
                (head("POST /v1/events", count: 1_048_577), .bodyTooLarge),
                (head("GET /healthz", key: nil, count: count), .bodyTooLarge),
                (
                    head("POST /v1/activities/o-1/registrations", count: 65_537), .bodyTooLarge
                ),
                (
                    head(
                        "POST /v1/events", key: "wrong", count: count,
                        type: "application/x-ndjson"), .invalidKey
                ),
            ] {
                let answer = await served.exchange(request)
                #expect(answer.hasPrefix("HTTP/1.1 \(problem.status) "), "\(answer)")
                let document = try body(of: answer)
                #expect(document["type"]?.text == problem.type)
                #expect(answer.contains("connection: close"))
            }
        }
    }

    @Test func `a client may go on only when its key is accepted`() async throws {
        try await withService { _, served in
            let expects = "Expect: 100-continue\r\n"
            let refused = await served.exchange(
                head("POST /v1/events", key: "wrong", count: 40_000, expects))
            #expect(refused.hasPrefix("HTTP/1.1 401 "))
            let asked = await served.exchange(head("POST /v1/events", count: 40_000, expects)) {
                $0.hasSuffix("\r\n\r\n")
            }
            #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n")
        }
    }

    @Test func `a key is looked up once for a request, however large`() async throws {
        try await withService { api, served in
            let events = (0..<100).map { SampleEvents.placed("o-\($0)", id: "e-\($0)") }
                .joined(separator: ",")
            let padded = "[\(events)]" + String(repeating: " ", count: 20_000)
            let before = await api.fake.grantLookups
            let answer = await served.exchange(
                head(
                    "POST /v1/events", count: padded.utf8.count,
                    type: "application/cloudevents-batch+json", "Connection: close\r\n") + padded)
            #expect(answer.hasPrefix("HTTP/1.1 201 ") || answer.hasPrefix("HTTP/1.1 200 "))
            // At most: the key may be remembered already.
            #expect(await api.fake.grantLookups - before <= 1)
        }
    }

    @Test func `the server says what it can do in general`() async throws {
        try await withService { _, served in
            let answer = await served.exchange(
                "OPTIONS * HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n"))
            #expect(answer.contains("allow: GET, POST, PUT, DELETE, HEAD, OPTIONS\r\n"))
            let path = await served.exchange(
                "OPTIONS /v1/events HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n\r\n")
            #expect(path.hasPrefix("HTTP/1.1 204 "))
            #expect(path.contains("allow: POST, GET, HEAD, OPTIONS\r\n"))
        }
    }

    @Test func `a path means the same however its letters are encoded, and a slash stays in an id`()
        async throws
    {
        try await withService { api, served in
            let event = SampleEvents.placed("a/b")
            let posted = await served.exchange(
                head("POST /v1/%65vents", count: event.utf8.count, "Connection: close\r\n") + event)
            #expect(posted.hasPrefix("HTTP/1.1 201 "))
            try await api.fake.fold(Harness.mine)
            for (path, status) in [
                ("/v1/activities/a%2Fb", 200), ("/v1/activities/a%2fb", 200),
                ("/v1/activities/%61%2Fb", 200), ("/v1/activities/a/b", 404),
                ("/v1/activities/a%252Fb", 404), ("/v1%2Factivities/a%2Fb", 404),
                ("/v1/activities/a%2", 400), ("/v1/activities/%ff", 400),
                ("/v1/x/../activities/a%2Fb", 404), ("/v1/x/%2e%2e/activities/a%2Fb", 404),
            ] {
                let answer = await served.exchange(
                    "GET \(path) HTTP/1.1\r\nHost: islet\r\nConnection: close\r\n"
                        + "Authorization: Bearer all\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(path)")
            }
        }
    }
}
