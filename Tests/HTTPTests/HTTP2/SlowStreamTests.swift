import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct `A client of HTTP2 that reads slowly` {
    @Test func `keeps its connection and its stream while it takes what it must`() async throws {
        let limits = ServerLimits(writeTimeoutSeconds: 0.3)
        let large: Handler = { _ in
            Response(status: 200, body: .bytes([UInt8](repeating: 65, count: 20_000_000)))
        }
        let seen = SeenAnswers()
        try await SecureServer.with(limits: limits, observer: seen, handler: large) { server in
            let said = try await server.flood("slow")
            #expect(said.contains("read"), "\(said)")
        }
        #expect(seen.statuses == [200] && seen.slowReaders == 0)
    }
}
