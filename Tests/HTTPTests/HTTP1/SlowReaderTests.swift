import EventLoop
import TestSupport
import Testing

@testable import HTTP

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/// The kernel takes megabytes of it, and asks for more only when a third of them has been read.
private let large: Handler = { _ in
    Response(status: 200, body: .bytes([UInt8](repeating: 97, count: 16 << 20)))
}

@Suite(.timeLimit(.minutes(1)))
struct `A client that reads slowly` {
    /// 64 KiB in that time, which is 213 KiB a second.
    private let limits = ServerLimits(writeTimeoutSeconds: 0.3)

    private func connections(of server: HTTP1Server) async -> Int {
        await server.loop.submit { server.connections.count }
    }

    @Test func `keeps its connection while it takes what it must, until it stops`() async throws {
        let seen = SeenAnswers()
        try await withServer(limits: limits, observer: seen, handler: large) {
            loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.readSlowly(16 * 1024, every: .milliseconds(25))
            await client.send(get)
            try await Task.sleep(for: .milliseconds(1_500))
            #expect(await connections(of: server) == 1)
            #expect(seen.slowReaders == 0)
            await client.setReading(false)
            try await waitUntil(within: 10) { await connections(of: server) == 0 }
            #expect(seen.slowReaders == 1)
            await client.close()
        }
    }

    @Test func `loses its connection if it takes less`() async throws {
        let seen = SeenAnswers()
        try await withServer(limits: limits, observer: seen, handler: large) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.readSlowly(16 * 1024, every: .milliseconds(250))
            await client.send(get)
            try await waitUntil(within: 10) { seen.slowReaders == 1 }
            await client.close()
        }
    }
}
