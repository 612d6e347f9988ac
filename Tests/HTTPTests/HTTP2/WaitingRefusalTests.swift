import EventLoop
import TLS
import TestSupport
import Testing

@testable import HTTP

extension SecureServer {
    /// A client that speaks HTTP/2 to it.
    func connect(_ loop: EventLoop) async throws -> HTTP2Connection {
        let tls = try TLSContext.client(trust: .file(folder.path("authority.pem")))
        return try await HTTP2Connection.connect(
            loop: loop, host: "127.0.0.1", port: port, tls: tls, timeout: .seconds(10))
    }
}

/// - Returns: the status of the answer.
private func post(
    _ count: Int, _ target: String, by connection: HTTP2Connection
) async throws -> Int {
    let body = [UInt8](repeating: 120, count: count)
    return try await connection.send(
        Request(method: "POST", target: target, body: body), deadline: .seconds(20)
    ).status
}

@Suite(.timeLimit(.minutes(1)))
struct `A refusal that waits for its turn` {
    @Test func `keeps its request from the handler, whatever comes of the body meanwhile`()
        async throws
    {
        let calls = Lock(0)
        let handler: Handler = { request in
            // Nobody is asked about what is short and here already.
            if request.target == "/short" { return Response(status: 429) }
            calls.withLock { $0 += 1 }
            return Response(status: 200)
        }
        try await SecureServer.with(
            streamsBody: { $0.target == "/lines" },
            admission: { _ in .refused(Response(status: 429)) }, handler: handler
        ) { server in
            let loop = EventLoop(name: "refused")
            var crowd: [HTTP2Connection] = []
            for _ in 0..<3 { crowd.append(try await server.connect(loop)) }
            let last = try await server.connect(loop)
            let refused = Lock(0)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for connection in crowd {
                    for _ in 0..<HTTP2Limits.streamsMax {
                        group.addTask {
                            let status = try await post(1, "/short", by: connection)
                            refused.withLock { $0 += 1 }
                            return status
                        }
                    }
                }
                // From here on each refusal waits.
                try await waitUntil { refused.value > Limits.refusals.burst }
                // More of it than one read brings; more than a window; all of it with the head.
                for (count, target) in [(40_000, "/a"), (300_000, "/a"), (10_000, "/lines")] {
                    group.addTask { try await post(count, target, by: last) }
                }
                for try await status in group { #expect(status == 429) }
            }
            #expect(calls.value == 0)
            for connection in crowd + [last] { await connection.close() }
            await loop.shutdown()
        }
    }
}
