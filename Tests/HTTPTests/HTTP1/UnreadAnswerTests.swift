import EventLoop
import TestSupport
import Testing

@testable import HTTP

/// Each thousand bytes are other letters than those before.
private func letters(thousands: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in 0..<thousands {
        bytes += [UInt8](repeating: UInt8(97 + number % 26), count: 1_000)
    }
    return bytes
}

/// More than the kernel takes for a client that does not read.
private let large = letters(thousands: 16_000)
private let ordered = letters(thousands: 3_000)

private func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
}

/// What is reserved for answers that wait for their clients.
private func reserved(by server: HTTP1Server) async -> Int {
    await server.loop.submit { server.control.accounts.bytes[.answer] }
}

/// Small at `/small`, long at `/ordered`, there anyway at `/shared`, one chunk of a stream at
/// `/stream`.
private let handler: Handler = { request in
    switch request.target {
    case "/small": return Response(status: 200, body: .bytes([97]))
    case "/ordered": return Response(status: 200, body: .bytes(ordered))
    case "/stream":
        let (chunks, source) = AsyncStream<[UInt8]>.makeStream()
        source.yield(large)
        source.finish()
        return Response(status: 200, body: .stream(chunks))
    default:
        var response = Response(status: 200, body: .bytes(large))
        response.isShared = request.target == "/shared"
        return response
    }
}

/// Has asked, and does not read.
private func deaf(_ loop: EventLoop, _ port: Int, _ requests: String) async -> RawClient {
    let client = await RawClient.connect(loop, port: port)
    await client.setReading(false)
    await client.send(requests)
    return client
}

@Suite(.timeLimit(.minutes(1)))
struct `Answers that nobody reads` {
    private let limits = ServerLimits(reservedBytesPerAddressMax: 40 << 20)

    @Test func `take what one address may have, and the next is refused`() async throws {
        try await withServer(limits: limits, handler: handler) { loop, port, server in
            let clients = [
                await deaf(loop, port, get("/large")), await deaf(loop, port, get("/large")),
            ]
            try await waitUntil { await reserved(by: server) == 2 * large.count }
            let refused = await exchangeHalfClosed(port: port, get("/large"))
            #expect(refused.hasPrefix("HTTP/1.1 503 "))
            #expect(refused.contains("connection: close"))
            // Its answer is lost, and it is not said that nothing was done.
            let post = "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
            #expect(await exchangeHalfClosed(port: port, post).hasPrefix("HTTP/1.1 503 "))
            #expect(Rejection.noRoomForAnswer(to: "POST").reason == .noRoomForOutcome)
            let small = await exchangeHalfClosed(port: port, get("/small"))
            #expect(small.hasSuffix("\r\n\r\na"))
            let other = await exchangeHalfClosed(port: port, get("/large"), from: "127.0.0.2")
            #expect(other.hasPrefix("HTTP/1.1 200 ") && other.utf8.count > large.count)
            for client in clients { await client.close() }
            try await waitUntil { await reserved(by: server) == 0 }
            let again = await exchangeHalfClosed(port: port, get("/large"))
            #expect(again.hasPrefix("HTTP/1.1 200 ") && again.utf8.count > large.count)
            #expect(await reserved(by: server) == 0)
        }
    }

    @Test func `are seen by the observer as what was sent instead of them`() async throws {
        let seen = SeenAnswers()
        try await withServer(limits: limits, observer: seen, handler: handler) {
            loop, port, server in
            let clients = [
                await deaf(loop, port, get("/large")), await deaf(loop, port, get("/large")),
            ]
            try await waitUntil { await reserved(by: server) == 2 * large.count }
            let refused = await exchangeHalfClosed(port: port, get("/large"))
            #expect(refused.hasPrefix("HTTP/1.1 503 "))
            let small = await exchangeHalfClosed(port: port, get("/small"))
            #expect(small.hasPrefix("HTTP/1.1 200 "))
            _ = await exchangeHalfClosed(port: port, get("/unseen"))
            #expect(seen.statuses == [200, 200, 503, 200] && seen.underWay == 0)
            for client in clients { await client.close() }
        }
    }

    @Test func `take nothing if they are there anyway, nor if they were asked for ahead`()
        async throws
    {
        try await withServer(limits: limits, handler: handler) { loop, port, server in
            var clients: [RawClient] = []
            for _ in 0..<5 { clients.append(await deaf(loop, port, get("/shared"))) }
            clients.append(await deaf(loop, port, get("/large") + get("/large") + get("/large")))
            try await waitUntil { await reserved(by: server) == large.count }
            let text = await exchangeHalfClosed(port: port, get("/shared"))
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.utf8.count > large.count)
            #expect(await reserved(by: server) == large.count)
            for client in clients { await client.close() }
        }
    }

    @Test func `end a stream for which there is no room, and not one that is read`() async throws {
        try await withServer(limits: limits, handler: handler) { loop, port, server in
            let clients = [
                await deaf(loop, port, get("/stream")), await deaf(loop, port, get("/stream")),
            ]
            try await waitUntil { await reserved(by: server) > large.count * 3 / 2 }
            let cut = await exchangeHalfClosed(port: port, get("/stream", "Connection: close\r\n"))
            #expect(!isWhole(cut))
            for client in clients { await client.close() }
            try await waitUntil { await reserved(by: server) == 0 }
            let reader = await RawClient.connect(loop, port: port)
            await reader.send(get("/stream", "Connection: close\r\n"))
            let text = await reader.readToEnd(within: .seconds(30))
            #expect(text.utf8.count > large.count && isWhole(text))
            await reader.close()
        }
    }

    @Test(arguments: [5_000, 64 * 1024])
    func `wait piece by piece, and come whole and in order`(unsentBytesMax: Int) async throws {
        let limits = ServerLimits(unsentBytesMax: unsentBytesMax)
        try await withServer(limits: limits, handler: handler) { loop, port, _ in
            let client = await deaf(
                loop, port,
                get("/small") + get("/ordered") + get("/small", "Connection: close\r\n"))
            try await Task.sleep(for: .milliseconds(100))
            await client.setReading(true)
            let text = Array(await client.readToEnd(within: .seconds(30)).utf8)
            let first = ordered.prefix(10)
            let start = try #require(
                text.indices.prefix(1_000).first { text[$0...].starts(with: first) })
            #expect(Array(text[start...].prefix(ordered.count)) == ordered)
            let last = String(decoding: text[(start + ordered.count)...], as: UTF8.self)
            #expect(last.hasPrefix("HTTP/1.1 200 ") && last.hasSuffix("\r\n\r\na"))
            await client.close()
        }
    }

    @Test func `leave their client all its time for the next request`() async throws {
        let limits = ServerLimits(idleTimeoutSeconds: 0.3)
        try await withServer(limits: limits, handler: handler) { loop, port, _ in
            let client = await deaf(
                loop, port, get("/large") + get("/small", "Connection: close\r\n"))
            try await Task.sleep(for: .milliseconds(800))
            await client.setReading(true)
            let text = await client.readToEnd(within: .seconds(30))
            #expect(text.utf8.count > large.count && text.hasSuffix("\r\n\r\na"))
            await client.close()
            // Its time is over some day if it asks nothing.
            let idle = await deaf(loop, port, get("/large"))
            try await Task.sleep(for: .milliseconds(100))
            await idle.setReading(true)
            #expect(await idle.readToEnd(within: .seconds(30)).utf8.count > large.count)
            await idle.close()
        }
    }

    /// With the chunk that ends it.
    private func isWhole(_ stream: String) -> Bool {
        Array(stream.utf8.suffix(5)) == Array("0\r\n\r\n".utf8)
    }
}
