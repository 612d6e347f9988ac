import EventLoop
import TestSupport
import Testing

@testable import HTTP

/// A head of so many bytes and some more.
private func get(
    _ count: Int, _ fields: Headers = Headers(), by connection: HTTP2Connection
) async throws -> Int {
    var request = Request(method: "GET", target: "/a", headers: fields)
    request.headers.append("x-long", String(repeating: "x", count: count))
    return try await connection.send(request, deadline: .seconds(20)).status
}

extension SecureServer {
    private func onLoop<Found: Sendable>(
        _ find: @escaping @Sendable (HTTP1Server) -> Found
    ) async -> Found {
        let server = server
        return await server.loop.submit { find(server) }
    }

    /// What is reserved for heads.
    fileprivate func reservedForHeads() async -> Int {
        await onLoop { $0.control.accounts.bytes[.head] }
    }

    /// Clients that have a connection, a request or an answer.
    fileprivate func accounts() async -> Int { await onLoop { $0.control.accounts.count } }

    /// What is in memory of the requests whose answers have begun.
    fileprivate func answered() async -> [Request] {
        await onLoop { server in
            server.connections.values.compactMap { $0 as? HTTP2ServerConnection }
                .flatMap(\.streams.values).filter { $0.phase == .answering }.map(\.request)
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Heads of requests over HTTP2` {
    @Test func `count until they are answered, and are refused beyond what there is room for`()
        async throws
    {
        // A quarter of it may be heads.
        let limits = ServerLimits(bodyBytesMax: 40_000, reservedBytesPerAddressMax: 40_000)
        let gate = Gate()
        let handler: Handler = { _ in
            await gate.pass()
            return Response(status: 200)
        }
        try await SecureServer.with(limits: limits, handler: handler) { server in
            let loop = EventLoop(name: "heads")
            let client = try await server.connect(loop)
            async let long = get(6_000, by: client)
            await gate.arrivals(1)
            let reserved = await server.reservedForHeads()
            #expect(reserved > 6_000 && reserved < 7_000)
            #expect(try await get(6_000, by: client) == 503)
            async let short = get(100, by: client)
            await gate.arrivals(2)
            #expect(await server.reservedForHeads() == reserved)
            await gate.open()
            #expect(try await long == 200)
            #expect(try await short == 200)
            try await waitUntil { await server.reservedForHeads() == 0 }
            #expect(try await get(6_000, by: client) == 200)
            await client.close()
            await loop.shutdown()
        }
    }

    @Test func `are gone once the answer has begun, and it is still known who has asked`()
        async throws
    {
        let (chunks, source) = AsyncStream<[UInt8]>.makeStream()
        source.yield([65])
        let proxy = try #require(AddressRange("127.0.0.1"))
        try await SecureServer.with(
            trustedProxies: [proxy],
            handler: { _ in Response(status: 200, body: .stream(chunks)) }
        ) { server in
            let loop = EventLoop(name: "heads")
            let client = try await server.connect(loop)
            #expect(await server.accounts() == 1)
            async let status = get(6_000, ["x-forwarded-for": "192.0.2.1"], by: client)
            try await waitUntil { await server.answered().count == 1 }
            let request = try #require(await server.answered().first)
            #expect(request.headers.fields.isEmpty && request.target.isEmpty)
            #expect(await server.reservedForHeads() == 0)
            #expect(await server.accounts() == 2)
            source.finish()
            #expect(try await status == 200)
            try await waitUntil { await server.accounts() == 1 }
            await client.close()
            await loop.shutdown()
        }
    }
}
