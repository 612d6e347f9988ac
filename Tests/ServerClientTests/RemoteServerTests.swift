import EventLoop
import Foundation
import HTTP
import Terminal
import Testing

@testable import ServerClient

/// A server that answers as the path says, and remembers what came.
private struct Stand: Sendable {
    let seen = Lock<[Request]>([])
    let loop = EventLoop(name: "stand")

    static func with(_ body: (Stand, RemoteServer) async throws -> Void) async throws {
        let stand = Stand()
        let server = HTTP1Server(loop: stand.loop, host: "127.0.0.1", port: 0) { request in
            stand.seen.withLock { $0.append(request) }
            return Self.answer(request)
        }
        let port = try await server.start()
        let client = RemoteServer(ServerURL(localPort: port), key: "islet_key", on: stand.loop)
        try await body(stand, client)
        await server.drain(within: .milliseconds(100))
    }

    private static func answer(_ request: Request) -> Response {
        func json(_ text: String, _ status: Int = 200) -> Response {
            Response(status: status, body: .bytes(Array(text.utf8)))
        }
        return switch request.path {
        case "/v1/events" where request.body == Array("{}".utf8):
            json(#"{"detail":"no.","errors":[{"detail":"No id."},{"detail":"No type."}]}"#, 422)
        case "/v1/events": json(#"{"events":[{"version":7}]}"#)
        case "/v1/policies/Match":
            Response(status: 429, headers: ["retry-after": "17"])
        case "/readyz": json(#"{"detail":"draining"}"#, 503)
        default: json(#"{"decisions":[]}"#)
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A client of a server` {
    @Test func `reports with its key, and learns the version`() async throws {
        try await Stand.with { stand, client in
            #expect(try await client.post(event: Data(#"{"id":"1"}"#.utf8)) == 7)
            let request = try #require(stand.seen.withLock { $0.first })
            #expect(request.method == "POST")
            #expect(request.headers["authorization"] == "Bearer islet_key")
            #expect(request.headers["content-type"] == "application/cloudevents+json")
        }
    }

    @Test func `says of several errors the first, and how many there are`() async throws {
        try await Stand.with { _, client in
            do {
                _ = try await client.post(event: Data("{}".utf8))
                Issue.record("it was taken")
            } catch {
                #expect(
                    "\(error)"
                        == "the server refused (422): No id. The first of 2 errors.")
            }
        }
    }

    @Test func `escapes what is part of a path`() async throws {
        try await Stand.with { stand, client in
            _ = try await client.decisions(activity: "a/b c?", after: 3)
            let target = stand.seen.withLock { $0.first?.target }
            #expect(target == "/v1/activities/a%2Fb%20c%3F/decisions?after=3")
        }
    }

    @Test func `says what is not ready, and what cannot be reached`() async throws {
        try await Stand.with { _, client in
            #expect(await client.healthComplaint == "draining")
        }
        let nobody = RemoteServer(
            ServerURL(localPort: 1), key: "none", on: EventLoop(name: "nobody"))
        #expect(await nobody.healthComplaint == "nothing listens there")
    }
}

struct `The URL of a server` {
    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://islet.example.com/", "https://islet.example.com"),
    ])
    func `is taken with and without TLS`(text: String, taken: String) throws {
        #expect(try ServerURL(text, option: "to").text == taken)
    }

    @Test(arguments: [
        "", "islet", "ftp://h", "http://", "http://h/path", "http://h?q", "http://u:p@h",
        "http://h#a", "http://h:99999",
    ])
    func `is refused with an example, and without what it says`(text: String) {
        #expect {
            _ = try ServerURL(text, option: "to")
        } throws: { error in
            (error as? CommandFailure)?.text.hasPrefix("--to must be a URL such as") == true
        }
    }
}
