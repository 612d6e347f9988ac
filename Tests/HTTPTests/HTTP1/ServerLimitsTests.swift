import EventLoop
import Testing

@testable import HTTP

private let small = ServerLimits(bodyBytesMax: 1_000, connectionsMax: 4)

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

@Suite struct ServerLimitsTests {
    @Test func `a head that trickles in is cut in time, also on a used connection`() async throws {
        let limits = ServerLimits(headTimeoutSeconds: 2)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            for before in ["", get] {
                let client = await RawClient.connect(loop, port: port)
                await client.send(before)
                let start = ContinuousClock.now
                await client.drip(
                    "GET / HTTP/1.1\r\nHost: a\r\nA: " + "a".times(500), every: .milliseconds(20))
                let text = await client.readToEnd()
                #expect(statuses(text) == (before.isEmpty ? [408] : [200, 408]))
                #expect(.now - start < .seconds(8))
                await client.close()
            }
        }
    }

    @Test(arguments: [
        "Content-Length: 900\r\n\r\n" + "a".times(500),
        "Transfer-Encoding: chunked\r\n\r\n" + "1\r\na\r\n".times(80),
    ])
    func `a body that trickles in is cut in time`(rest: String) async throws {
        let limits = ServerLimits(bodyTimeoutSeconds: 0.3)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let start = ContinuousClock.now
            await client.send("POST / HTTP/1.1\r\nHost: a\r\n")
            await client.drip(rest, every: .milliseconds(5))
            #expect(statuses(await client.readToEnd()) == [408])
            #expect(.now - start < .seconds(8))
            await client.close()
        }
    }

    @Test func `a body for which there is no room next to others is refused at once`()
        async throws
    {
        let limits = ServerLimits(bodyBytesMax: 1_000, reservedBytesMax: 1_000)
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 600\r\n\r\n"
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            for isAnswered in [true, false] {
                let first = await RawClient.connect(loop, port: port)
                await first.send(post + "a".times(599))
                let chunked = await RawClient.connect(loop, port: port)
                let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                await chunked.send(head + "1f4\r\n" + "a".times(500))
                #expect(statuses(await chunked.readToEnd()) == [503])
                let second = await RawClient.connect(loop, port: port)
                await second.send(post + "a".times(500))
                #expect(statuses(await second.readToEnd()) == [503])
                if isAnswered {
                    await first.send("a" + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    #expect(statuses(await first.readToEnd()) == [200, 200])
                }
                await first.close()
                await chunked.close()
                await second.close()
            }
            // Answered or given up, what was reserved is free again.
            var status = 503
            for _ in 0..<100 where status == 503 {
                let last = await RawClient.connect(loop, port: port)
                let close = post.replacing("Host", with: "Connection: close\r\nHost")
                await last.send(close + "a".times(600))
                status = statuses(await last.readToEnd()).first ?? 0
                await last.close()
            }
            #expect(status == 200)
        }
    }

    @Test func `a silent connection is closed without a word, new or used`() async throws {
        let limits = ServerLimits(headTimeoutSeconds: 1, idleTimeoutSeconds: 0.3)
        try await withServer(limits: limits, handler: echo) { loop, port, _ in
            let silent = await RawClient.connect(loop, port: port)
            #expect(await silent.readToEnd(within: .seconds(8)) == "")
            await silent.close()
            let used = await RawClient.connect(loop, port: port)
            await used.send(get)
            #expect(statuses(await used.readToEnd(within: .seconds(8))) == [200])
            await used.close()
        }
    }

    @Test func `a client that does not read its answer is cut`() async throws {
        let limits = ServerLimits(writeTimeoutSeconds: 0.3)
        let (began, begin) = AsyncStream<Void>.makeStream()
        let large: Handler = { _ in
            begin.finish()
            return Response(status: 200, body: .bytes(Array(repeating: 97, count: 64 << 20)))
        }
        try await withServer(limits: limits, handler: large) { loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.setReading(false)
            await client.send(get)
            for await _ in began {}
            let start = ContinuousClock.now
            // Over as soon as the connection is.
            await server.drain(within: .seconds(30))
            #expect(.now - start < .seconds(8))
            await client.setReading(true)
            let text = await client.readToEnd()
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.utf8.count < 64 << 20)
            await client.close()
        }
    }

    @Test func `a body of the limit is taken and one byte more is refused`() async throws {
        try await withServer(limits: small, handler: echo) { loop, port, _ in
            for (count, status) in [(1_000, 200), (1_001, 413)] {
                let hex = String(count, radix: 16)
                let body = "a".times(count)
                for fields in [
                    "Content-Length: \(count)\r\n\r\n\(body)",
                    "Transfer-Encoding: chunked\r\n\r\n\(hex)\r\n\(body)\r\n0\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n" + "1\r\na\r\n".times(count) + "0\r\n\r\n",
                ] {
                    let client = await RawClient.connect(loop, port: port)
                    await client.send("POST / HTTP/1.1\r\nHost: a\r\n\(fields)")
                    let text = await client.wait { $0.contains("\r\n\r\n") }
                    #expect(statuses(text) == [status])
                    await client.close()
                }
            }
        }
    }

    @Test func `a refused upload is read to its end, so that the answer survives`() async throws {
        let upload =
            Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n".utf8)
            + Array(repeating: UInt8(ascii: "a"), count: 3_000_000)
        try await withServer(limits: small, handler: echo) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(upload)
            #expect(statuses(await client.readToEnd()) == [413])
            await client.close()
        }
    }

    @Test func `connections over the limit get an answer, and there is room again later`()
        async throws
    {
        try await withServer(limits: small, handler: echo) { loop, port, _ in
            var clients: [RawClient] = []
            for _ in 0..<4 {
                let client = await RawClient.connect(loop, port: port)
                await client.send(get)
                _ = await client.wait { $0.contains("GET / ") }
                // One in the middle of a request is not given up for somebody else.
                let fields = "Host: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n"
                await client.send("POST / HTTP/1.1\r\n\(fields)\r\n")
                _ = await client.wait { $0.contains("100 Continue") }
                clients.append(client)
            }
            let fifth = await RawClient.connect(loop, port: port)
            #expect(statuses(await fifth.readToEnd()) == [503])
            await fifth.close()
            for client in clients { await client.close() }
            for _ in 0..<100 {
                let next = await RawClient.connect(loop, port: port)
                await next.send(get)
                let text = await next.wait { $0.contains("\r\n\r\n") }
                await next.close()
                if statuses(text) == [200] { return }
            }
            Issue.record("no room after the others had left")
        }
    }

    @Test func `the server asks for a body that waits to be asked for, unless it is too large`()
        async throws
    {
        try await withServer(limits: small, handler: echo) { loop, port, _ in
            let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
            let client = await RawClient.connect(loop, port: port)
            await client.send(head + "4\r\n\r\n")
            let asked = await client.wait { $0.hasSuffix("\r\n\r\n") }
            #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n")
            await client.send("body")
            let answered = await client.wait { $0.hasSuffix("POST / body") }
            #expect(statuses(answered) == [100, 200])
            await client.close()

            let large = await RawClient.connect(loop, port: port)
            await large.send(head + "4000\r\n\r\n")
            #expect(statuses(await large.readToEnd()) == [413])
            await large.close()
        }
    }

    @Test func `the hook words the refusals`() async throws {
        let loop = EventLoop(name: "hook")
        let server = HTTP1Server(
            loop: loop, host: "127.0.0.1", port: 0,
            rejection: { rejection, _ in
                Response(
                    status: rejection.status, headers: ["x-mine": "yes"],
                    body: .bytes(Array("\(rejection.reason)".utf8)))
            }, handler: echo)
        let port = try await server.start()
        let client = await RawClient.connect(loop, port: port)
        await client.send("nonsense\r\n\r\n")
        let text = await client.readToEnd()
        await client.close()
        #expect(text.contains("x-mine: yes"))
        #expect(text.body == "malformed")
        await loop.shutdown()
    }

    @Test func `a port in use is an error`() async throws {
        try await withServer(handler: echo) { loop, port, _ in
            let second = HTTP1Server(loop: loop, host: "127.0.0.1", port: port, handler: echo)
            await #expect(throws: HTTPError.cannotListen("address in use")) {
                try await second.start()
            }
        }
    }
}
