import EventLoop
import HTTP
import Testing

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/// A stream that tells when its reader has gone.
private func observed(
    _ fill: (AsyncStream<[UInt8]>.Continuation) -> Void
) -> (stream: AsyncStream<[UInt8]>, ended: AsyncStream<Void>) {
    let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
    let (ended, end) = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in end.finish() }
    fill(continuation)
    return (stream, ended)
}

@Suite struct StreamingTests {
    @Test func `chunks go out as they come, and the connection goes on after the last`()
        async throws
    {
        let (stream, source) = AsyncStream<[UInt8]>.makeStream()
        let handler: Handler = { request in
            request.target == "/"
                ? Response(status: 200, body: .stream(stream)) : await echo(request)
        }
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            source.yield(Array("one".utf8))
            let start = await client.wait { $0.hasSuffix("3\r\none\r\n") }
            #expect(start.contains("transfer-encoding: chunked\r\n"))
            source.yield([])
            source.yield(Array(repeating: 65, count: 17))
            _ = await client.wait { $0.hasSuffix("11\r\n\("A".times(17))\r\n") }
            source.finish()
            let text = await client.wait { $0.hasSuffix("GET /next ") }
            #expect(text.contains("A\r\n0\r\n\r\nHTTP/1.1 200"))
            await client.close()
        }
    }

    @Test func `HTTP/1.0 gets a stream without chunks that ends with the connection`() async throws
    {
        let (stream, source) = AsyncStream<[UInt8]>.makeStream()
        try await withServer(handler: { _ in Response(status: 200, body: .stream(stream)) }) {
            loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            source.yield(Array("one".utf8))
            source.yield(Array("two".utf8))
            source.finish()
            let text = await client.readToEnd()
            #expect(text.body == "onetwo")
            #expect(text.contains("connection: close"))
            await client.close()
        }
    }

    @Test func `a stream ends at once when its client goes away`() async throws {
        let (stream, ended) = observed { $0.yield([65]) }
        try await withServer(handler: { _ in Response(status: 200, body: .stream(stream)) }) {
            loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get)
            _ = await client.wait { $0.hasSuffix("1\r\nA\r\n") }
            await client.close()
            for await _ in ended {}
        }
    }

    @Test func `HEAD does not start a stream and lets go of it`() async throws {
        let ended = Lock<AsyncStream<Void>?>(nil)
        let handler: Handler = { _ in
            let (stream, end) = observed { $0.yield([65]) }
            ended.withLock { $0 = end }
            return Response(status: 200, body: .stream(stream))
        }
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = await client.wait { $0.hasSuffix("\r\n\r\n") }
            #expect(text.body == "")
            if let ended = ended.withLock({ $0 }) { for await _ in ended {} }
            await client.close()
        }
    }

    @Test func `a slow reader slows the stream instead of filling the memory`() async throws {
        let pulled = Lock(0)
        let chunk = Array(repeating: UInt8(65), count: 64 * 1024)
        let stream = AsyncStream<[UInt8]> {
            pulled.withLock { count -> [UInt8]? in
                count += 1
                return count > 1_000 ? nil : chunk
            }
        }
        try await withServer(handler: { _ in Response(status: 200, body: .stream(stream)) }) {
            loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.setReading(false)
            await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            try await Task.sleep(for: .milliseconds(300))
            // The kernel's buffers on both sides and ours, but not the 64 MB.
            let before = pulled.withLock { $0 }
            #expect(before < 300)
            await client.setReading(true)
            let text = await client.readToEnd(within: .seconds(60))
            #expect(text.utf8.count > 1_000 * chunk.count)
            #expect(text.utf8.reversed().starts(with: "0\r\n\r\n".utf8.reversed()))
            await client.close()
        }
    }

    @Test func `drain ends a reader's wait, and the reader is still answered`() async throws {
        let (waiting, wait) = AsyncStream<Void>.makeStream()
        let handler: Handler = { request in
            wait.finish()
            do { try await Task.sleep(for: .seconds(60)) } catch {
                return Response(status: 200, body: .bytes(Array("nothing".utf8)))
            }
            return await echo(request)
        }
        try await withServer(handler: handler) { loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get)
            for await _ in waiting {}
            async let drained: Void = server.drain(within: .seconds(30))
            #expect(await client.readToEnd().hasSuffix("nothing"))
            await client.close()
            await drained
        }
    }

    @Test func `drain ends event streams properly`() async throws {
        let (stream, ended) = observed { $0.yield(Array("data: 1\n\n".utf8)) }
        let handler: Handler = { _ in
            var response = Response(status: 200, body: .stream(stream))
            response.closingBytes = []
            return response
        }
        try await withServer(handler: handler) { loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get)
            _ = await client.wait { $0.contains("data: 1") }
            async let drained: Void = server.drain(within: .seconds(10))
            #expect(await client.readToEnd().hasSuffix("0\r\n\r\n"))
            await client.close()
            await drained
            for await _ in ended {}
        }
    }
}
