import EventLoop
import TestSupport
import Testing

@testable import HTTP

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/// Connections that each have sent half a head.
private func halves(_ count: Int, _ loop: EventLoop, _ port: Int) async -> [RawClient] {
    var clients: [RawClient] = []
    for _ in 0..<count {
        let client = await RawClient.connect(loop, port: port)
        await client.send("GET / HTTP/1.1\r\nHo")
        clients.append(client)
    }
    return clients
}

@Suite(.timeLimit(.minutes(1))) struct CrowdTests {
    @Test func `one address fills its share with half heads and bodies, another is served at once`()
        async throws
    {
        let limits = ServerLimits(connectionsMax: 200, connectionsPerAddressMax: 50)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            var clients = await halves(25, loop, port)
            for _ in 0..<25 {
                let client = await RawClient.connect(loop, port: port)
                await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                clients.append(client)
            }
            let refused = await RawClient.connect(loop, port: port)
            let words = await refused.readToEnd()
            #expect(statuses(words) == [503])
            #expect(words.contains("This address has as many connections as one may have"))
            let clock = ContinuousClock.now
            for _ in 0..<20 {
                let answer = await exchangeHalfClosed(port: port, get, from: "127.0.0.2")
                #expect(statuses(answer) == [200])
            }
            #expect(.now - clock < .seconds(5))
            for client in clients + [refused] { await client.close() }
        }
    }

    @Test func `when all places are taken by half heads, the next client gets in`() async throws {
        let limits = ServerLimits(headTimeoutSeconds: 60, connectionsMax: 40)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            let busy = await RawClient.connect(loop, port: port)
            await busy.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
            let clients = await halves(39, loop, port)
            for _ in 1...10 {
                let next = await RawClient.connect(loop, port: port)
                await next.send(get)
                _ = await next.wait { $0.hasSuffix("GET / ") }
                // It stays, so that there is never a place that is free by itself.
                await next.send("GET / HTTP/1.1\r\nHo")
            }
            // Without a word, and the oldest of them first.
            for client in clients.prefix(5) { #expect(await client.readToEnd() == "") }
            // What is under way is not given up for anybody.
            await busy.send("body")
            _ = await busy.wait { $0.hasSuffix("POST / body") }
            for client in clients + [busy] { await client.close() }
        }
    }

    @Test func `a fresh head is not given up while somebody is idle`() async throws {
        let limits = ServerLimits(headTimeoutSeconds: 60, connectionsMax: 4)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            var clients: [RawClient] = []
            for _ in 0..<3 {
                let client = await RawClient.connect(loop, port: port)
                await client.send(get)
                _ = await client.wait { $0.hasSuffix("GET / ") }
                clients.append(client)
            }
            let fresh = await RawClient.connect(loop, port: port)
            await fresh.send("GET / HTTP/1.1\r\nHo")
            let next = await RawClient.connect(loop, port: port)
            await next.send(get)
            _ = await next.wait { $0.hasSuffix("GET / ") }
            await fresh.send("st: a\r\n\r\n")
            _ = await fresh.wait { $0.hasSuffix("GET / ") }
            #expect(statuses(await clients[0].readToEnd()) == [200])
            for client in clients + [fresh, next] { await client.close() }
        }
    }

    @Test func `half heads and silence are put up with for less time as room gets scarce`()
        async throws
    {
        let limits = ServerLimits(
            headTimeoutSeconds: 20, idleTimeoutSeconds: 20, connectionsMax: 1_000,
            connectionsPerAddressMax: 10)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            let start = ContinuousClock.now
            let idle = await RawClient.connect(loop, port: port)
            await idle.send(get)
            let clients = await halves(9, loop, port)
            let text = await clients[0].readToEnd(within: .seconds(10))
            #expect(statuses(text) == [408])
            #expect(statuses(await idle.readToEnd(within: .seconds(10))) == [200])
            // A tenth of the time, and room again for the clients that are left.
            #expect(.now - start < .seconds(10))
            for client in clients + [idle] { await client.close() }
        }
    }

    @Test func `a trusted proxy's connections are not counted as one client's`() async throws {
        let limits = ServerLimits(connectionsMax: 50, connectionsPerAddressMax: 2)
        let proxy = try #require(AddressRange("127.0.0.1"))
        try await withServer(limits: limits, trustedProxies: [proxy], handler: echo) {
            loop, port, _ in
            let clients = await halves(10, loop, port)
            let next = await RawClient.connect(loop, port: port)
            await next.send(get)
            _ = await next.wait { $0.hasSuffix("GET / ") }
            for client in clients + [next] { await client.close() }
        }
    }
}
