import EventLoop
import Foundation
import HTTP
import Testing

@testable import ServerClient

/// Why a server that answers everything alike does not take an event.
private func refusal(
    _ status: Int, _ body: String, retryAfter: String? = nil
) async throws -> RemoteServer.Failure? {
    let loop = EventLoop(name: "refusing")
    let server = HTTP1Server(loop: loop, host: "127.0.0.1", port: 0) { _ in
        var response = Response(status: status, body: .bytes(Array(body.utf8)))
        if let retryAfter { response.headers.append("retry-after", retryAfter) }
        return response
    }
    let port = try await server.start()
    let client = RemoteServer(ServerURL(localPort: port), key: "islet_topsecret", on: loop)
    var failure: RemoteServer.Failure?
    do throws(RemoteServer.Failure) { _ = try await client.post(event: Data("{}".utf8)) } catch {
        failure = error
    }
    await server.drain(within: .milliseconds(100))
    return failure
}

@Suite(.timeLimit(.minutes(1)))
struct `A server that does not take an event` {
    @Test func `is busy for as long as it says`() async throws {
        let failure = try await refusal(429, #"{"detail":"too fast"}"#, retryAfter: "17")
        guard case .busy(let duration, let detail)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(duration == .seconds(17))
        #expect(detail == "too fast")
    }

    @Test func `is away while it cannot reach its database`() async throws {
        let failure = try await refusal(503, #"{"detail":"no primary"}"#)
        #expect(failure?.description == "the server cannot be reached: no primary")
    }

    @Test(arguments: [
        (401, #"{"detail":"no such key"}"#, "the server refused (401): no such key"),
        (500, "<html>", "the server refused (500): status 500"),
        (200, "{}", "the server refused (200): the intake's answer cannot be read"),
    ])
    func `says why, and never the key`(status: Int, body: String, words: String) async throws {
        let failure = try await refusal(status, body)
        #expect(failure?.description == words)
        #expect(!"\(String(describing: failure))".contains("topsecret"))
    }
}
