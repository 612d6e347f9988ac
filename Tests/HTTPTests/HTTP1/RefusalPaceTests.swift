import EventLoop
import HTTP
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct RefusalPaceTests {
    @Test func `who is refused again and again waits for it, and nobody else does`() async throws {
        let handler: Handler = { request in
            Response(status: request.headers["x-who"] == nil ? 401 : 200, body: .bytes([]))
        }
        try await withServer(handler: handler) { loop, port, _ in
            let stranger = await RawClient.connect(loop, port: port)
            let guest = await RawClient.connect(loop, port: port)
            let begin = ContinuousClock.now
            let refused = 300
            await stranger.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".times(refused))
            // Those of a second at once, and then a few.
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
