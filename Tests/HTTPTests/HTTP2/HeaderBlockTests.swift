import EventLoop
import TestSupport
import Testing

@testable import HTTP

extension HTTP1Server {
    /// Of the heads of all requests that are not answered. On the loop only.
    fileprivate var decodedBytes: Int {
        connections.values.compactMap { $0 as? HTTP2ServerConnection }
            .flatMap(\.streams.values).reduce(0) { $0 + $1.headBytes }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Header blocks that are short on the wire and long once they are decoded` {
    @Test(arguments: ["references", "fields", "trailers", "continuations", "long-heads"])
    func `end the connection, and others are served`(kind: String) async throws {
        try await SecureServer.with(handler: echo) { server in
            let said = try await server.flood(kind)
            #expect(said.contains("cut"), "\(said)")
            #expect(try await server.curl(["--http2"]) == "GET /a ")
        }
    }

    @Test func `are decoded a few in each iteration of the loop, and all answered`() async throws {
        let known = Lock<HTTP1Server?>(nil)
        let decoded = Lock<[Int]>([])
        let handler: Handler = { request in
            if let server = known.value {
                let bytes = server.decodedBytes
                decoded.withLock { $0.append(bytes) }
            }
            return await echo(request)
        }
        try await SecureServer.with(handler: handler) { server in
            known.withLock { $0 = server.server }
            let said = try await server.flood("heads")
            #expect(said.contains("100 answered, 0 refused"), "\(said)")
            // Of the 1.6 MB that came at once, when the first request was begun.
            let turns = Limits.requestsPerIteration + 2
            let first = try #require(decoded.value.first)
            #expect(first < turns * HTTP2Limits.decodedBytesPerTurn, "\(first) bytes were decoded")
            known.withLock { $0 = nil }
        }
    }
}
