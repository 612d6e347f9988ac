import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct `A request that no handler sees` {
    @Test(arguments: ["--http1.1", "--http2"])
    func `is refused in words that know its head`(flag: String) async throws {
        var limits = ServerLimits.standard
        limits.bodyBytesMax = 100
        let words: @Sendable (Rejection, Request) -> Response = { rejection, request in
            let name = request.headers["x-request-id"] ?? "nobody"
            return Response(
                status: rejection.status,
                body: .bytes(Array("\(request.method) \(request.target) of \(name)".utf8)))
        }
        try await SecureServer.with(limits: limits, rejection: words, handler: echo) { server in
            let answer = try await server.curl([
                flag, "--header", "X-Request-Id: mine", "--data",
                String(repeating: "x", count: 101), "--write-out", " %{http_code}",
            ])
            #expect(answer == "POST /a of mine 413")
        }
    }
}
