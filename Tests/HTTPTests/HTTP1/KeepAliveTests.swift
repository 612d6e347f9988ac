import EventLoop
import TestSupport
import Testing

@testable import HTTP

private let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

@Suite struct KeepAliveTests {
    @Test func `one connection carries a hundred requests one after the other`() async throws {
        try await withServer(handler: echo) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            for number in 1...100 {
                await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                let text = await client.wait { $0.hasSuffix("GET /\(number) ") }
                #expect(statuses(text).count == number)
            }
            await client.close()
        }
    }

    @Test func `pipelined requests are answered in their order, however long each takes`()
        async throws
    {
        let handler: Handler = { request in
            if request.target == "/slow" { try? await Task.sleep(for: .milliseconds(40)) }
            if request.target == "/yield" { await Task.yield() }
            return await echo(request)
        }
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let targets = ["/slow", "/1", "/yield", "/2", "/slow", "/3", "/last"]
            await client.send(
                targets.map { "POST \($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n123" }
                    .joined())
            let text = await client.wait { $0.hasSuffix("/last 123") }
            #expect(text.components(between: "POST ", and: " ") == targets)
            await client.close()
        }
    }

    @Test func `pipelined requests are all answered, even more of them than may wait`() async throws
    {
        let handler: Handler = { request in
            await Task.yield()
            return await echo(request)
        }
        let limits = ServerLimits(pipelinedBytesMax: 1_000, unsentBytesMax: 2_000)
        try await withServer(limits: limits, handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.setReading(false)
            for number in 0..<40 {
                await client.send(
                    (0..<50).map { "GET /\(number * 50 + $0)! HTTP/1.1\r\nHost: a\r\n\r\n" }
                        .joined())
            }
            await client.setReading(true)
            let text = await client.wait { $0.contains("/1999!") }
            #expect(text.components(between: "GET /", and: "!") == (0..<2_000).map(String.init))
            await client.close()
        }
    }

    @Test func `a client that closes its half after its requests gets every answer`() async throws {
        let handler: Handler = { request in
            try? await Task.sleep(for: .milliseconds(10))
            return await echo(request)
        }
        try await withServer(handler: handler) { _, port, _ in
            let text = await exchangeHalfClosed(port: port, get.times(3))
            #expect(statuses(text) == [200, 200, 200])
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true, "connection: close"),
        ("GET / HTTP/1.0\r\n\r\n", true, "connection: close"),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false, "connection: keep-alive"),
    ])
    func `who asks to close or speaks HTTP/1.0 is obeyed`(
        request: String, closes: Bool, field: String
    ) async throws {
        try await withServer(handler: echo) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(request)
            let text =
                closes
                ? await client.readToEnd() : await client.wait { $0.contains("\r\n\r\nGET / ") }
            #expect(statuses(text) == [200])
            #expect(text.contains(field))
            #expect(await client.isClosedByServer == closes)
            await client.close()
        }
    }

    @Test func `a handler can ask for the connection to be closed`() async throws {
        let handler: Handler = { _ in Response(status: 200, headers: ["connection": "close"]) }
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get)
            #expect(await client.readToEnd().contains("connection: close"))
            await client.close()
        }
    }

    @Test func `drain lets the request in progress finish and takes no new connection`()
        async throws
    {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let handler: Handler = { request in
            begin.finish()
            for await _ in gate { break }
            return await echo(request)
        }
        let serving = EventLoop(name: "server")
        let calling = EventLoop(name: "client")
        let server = HTTP1Server(loop: serving, host: "127.0.0.1", port: 0, handler: handler)
        let port = try await server.start()
        let busy = await RawClient.connect(calling, port: port)
        let idle = await RawClient.connect(calling, port: port)
        await busy.send(get)
        for await _ in began {}
        async let drained: Void = server.drain(within: .seconds(10))
        #expect(await idle.readToEnd() == "")
        await idle.close()
        let late = await RawClient.connect(calling, port: port)
        #expect(await late.isClosedByServer)
        open.yield()
        let text = await busy.readToEnd()
        await busy.close()
        #expect(statuses(text) == [200])
        #expect(text.contains("connection: close"))
        await drained
        await calling.shutdown()
        await serving.shutdown()
    }

    @Test func `drain cuts what does not end in time`() async throws {
        let wasCancelled = Lock(false)
        let (began, begin) = AsyncStream<Void>.makeStream()
        let handler: Handler = { request in
            begin.finish()
            try? await Task.sleep(for: .seconds(60))
            wasCancelled.withLock { $0 = Task.isCancelled }
            return await echo(request)
        }
        try await withServer(handler: handler) { loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get)
            for await _ in began {}
            let start = ContinuousClock.now
            await server.drain(within: .milliseconds(100))
            #expect(.now - start < .seconds(5))
            #expect(await client.readToEnd() == "")
            await client.close()
        }
        #expect(wasCancelled.value)
    }
}
