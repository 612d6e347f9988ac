import EventLoop
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct RefusalPaceTests {
    @Test func `who is refused again and again waits for it, and nobody else does`() async throws {
        let handler: Handler = { request in
            Response(status: request.headers["x-who"] == nil ? 401 : 200, body: .bytes([]))
        }
        try await withServer(handler: handler) { loop, port, _ in
            let stranger = await RawClient.connect(loop, port: port)
            let guest = await RawClient.connect(loop, port: port)
            let begin = ContinuousClock.now
            let refused = 200
            await stranger.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".times(refused))
            // Some at once, and then one after the other.
            _ = await stranger.wait { statuses($0).count > 100 }
            for count in 1...3 {
                await guest.send("GET / HTTP/1.1\r\nHost: a\r\nX-Who: ann\r\n\r\n")
                _ = await guest.wait { statuses($0).count == count }
            }
            let servedAfter = ContinuousClock.now - begin
            let text = await stranger.wait { statuses($0).count == refused }
            #expect(statuses(text).allSatisfy { $0 == 401 })
            let refusedAfter = ContinuousClock.now - begin
            #expect(refusedAfter > .seconds(1))
            #expect(servedAfter < refusedAfter)
            await stranger.close()
            await guest.close()
        }
    }

    @Test func `who asks on many connections is not refused more often for it`() throws {
        var pace = RefusalPace()
        let stranger = try #require(ClientAddress("192.0.2.1"))
        let guest = try #require(ClientAddress("192.0.2.2"))
        let delays = (0..<400).map { _ in pace.delayMillis(for: stranger, nowMillis: 5_000) }
        #expect(delays.prefix(100).allSatisfy { $0 == 0 })
        #expect(Array(delays[100..<200]) == (1...100).map { $0 * 20 })
        #expect(delays.dropFirst(200).allSatisfy { $0 == 2_000 })
        #expect(pace.delayMillis(for: guest, nowMillis: 5_000) == 0)
        // What is saved up again is no more than it was at first.
        let later = (0..<101).map { _ in pace.delayMillis(for: stranger, nowMillis: 60_000) }
        #expect(later.last == 20 && later.dropLast().allSatisfy { $0 == 0 })
    }

    @Test func `a client of a proxy does not wait for another client's refusals`() async throws {
        let proxy = try #require(AddressRange("127.0.0.1"))
        try await withServer(trustedProxies: [proxy], handler: { _ in Response(status: 401) }) {
            loop, port, _ in
            let stranger = await RawClient.connect(loop, port: port)
            let guest = await RawClient.connect(loop, port: port)
            let ask = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2."
            await stranger.send((ask + "1\r\n\r\n").times(300))
            _ = await stranger.wait { statuses($0).count > 100 }
            await guest.send((ask + "2\r\n\r\n").times(100))
            _ = await guest.wait { statuses($0).count == 100 }
            let text = await stranger.wait { _ in true }
            #expect(statuses(text).count < 300)
            await stranger.close()
            await guest.close()
        }
    }

    @Test func `a body that is refused in the middle costs no answer`() async throws {
        try await withServer(handler: { _ in Response(status: 200, body: .bytes([])) }) {
            loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let count = 2_000_000
            await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n" + "a".times(count))
            #expect(statuses(await client.readToEnd()) == [413])
            await client.close()
        }
    }
}
