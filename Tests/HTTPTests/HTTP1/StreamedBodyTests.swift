import EventLoop
import TestSupport
import Testing

@testable import HTTP

/// Counts a body's bytes and says how it ended.
private let count: Handler = { request in
    guard let body = request.bodyStream else { return await echo(request) }
    var bytes = 0
    var largest = 0
    func text(_ end: String) -> Response {
        Response(status: 200, body: .bytes(Array("\(bytes) \(largest) \(end)".utf8)))
    }
    do throws(BodyStream.Failure) {
        while let piece = try await body.next() {
            bytes += piece.count
            largest = max(largest, piece.count)
        }
        return text("whole")
    } catch { return text("\(error)") }
}

/// Answers with a body that it begins to read when it has come.
private let readLate: Handler = { request in
    guard let body = request.bodyStream else { return await echo(request) }
    try? await Task.sleep(for: .milliseconds(50))
    var bytes: [UInt8] = []
    do throws(BodyStream.Failure) {
        while let piece = try await body.next() { bytes += piece }
    } catch { bytes += Array("\(error)".utf8) }
    return Response(status: 200, body: .bytes(bytes))
}

private let isPost: @Sendable (Request) -> Bool = { $0.method == "POST" }

private func post(_ headers: String, _ body: String = "") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(headers)\r\n\r\n\(body)"
}

private let get = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

/// As many requests as a client may have begun at once: the next one waits for its turn.
private let aTurn = get.times(Limits.requestsPerIteration)

@Suite(.timeLimit(.minutes(1))) struct StreamedBodyTests {
    @Test func `a body far over the limit comes in pieces and the connection goes on`()
        async throws
    {
        var limits = ServerLimits.standard
        limits.bodyBytesMax = 1_000
        limits.streamedBytesMax = 100_000
        let size = 20_000_000
        try await withServer(limits: limits, streamsBody: isPost, handler: count) {
            loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post("Content-Length: \(size)"))
            await client.send(Array(repeating: 65, count: size) + Array(get.utf8))
            let text = await client.wait { $0.hasSuffix("GET /next ") }
            let body = try #require(text.components(between: "\r\n\r\n", and: "HTTP").first)
            #expect(body.hasPrefix("\(size) ") && body.hasSuffix(" whole"), "\(body)")
            // What waits is handed over whole: so this is all the memory that the body took.
            let largest = body.split(separator: " ").compactMap { Int($0) }.last ?? 0
            #expect(largest <= 100_000 + 64 * 1024)
            #expect(!text.contains("connection: close"))
            await client.close()
        }
    }

    @Test func `the client is kept waiting while nobody reads`() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let handler: Handler = { request in
            for await _ in gate.stream {}
            return await count(request)
        }
        try await withServer(streamsBody: isPost, handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let size = 50_000_000
            await client.send(post("Content-Length: \(size)"))
            await client.send(Array(repeating: 65, count: size))
            try await Task.sleep(for: .milliseconds(200))
            // The kernel's buffers on both sides and ours, but not the 50 MB.
            #expect(await client.unsentBytes > size / 2)
            gate.continuation.finish()
            let text = await client.wait { $0.contains("whole") }
            #expect(text.contains("\r\n\r\n\(size) "))
            await client.close()
        }
    }

    @Test func `chunks are joined wherever the network cuts them`() async throws {
        try await withServer(streamsBody: isPost, handler: count) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let chunked = post("Transfer-Encoding: chunked", "5\r\nhello\r\n10;x=y\r\n")
            await client.drip(
                chunked + "A".times(16) + "\r\n0\r\nTrailer: x\r\n\r\n" + get,
                every: .milliseconds(1))
            let text = await client.wait { $0.hasSuffix("GET /next ") }
            #expect(text.contains("\r\n\r\n21 "))
            #expect(statuses(text) == [200, 200])
            await client.close()
        }
    }

    @Test func `requests before and after on one connection keep their order`() async throws {
        try await withServer(streamsBody: isPost, handler: count) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(
                get + post("Content-Length: 3", "abc") + get + post("Content-Length: 0"))
            let text = await client.wait { statuses($0).count == 4 }
            #expect(text.contains("3 3 whole"))
            #expect(statuses(text) == [200, 200, 200, 200])
            await client.close()
        }
    }

    @Test func `a body that waits for its turn keeps its order though nobody reads it yet`()
        async throws
    {
        let (first, second) = ("a".times(3_000), "b".times(3_000))
        try await withServer(streamsBody: isPost, handler: readLate) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(aTurn + post("Content-Length: 6000", first))
            // What was asked before it is answered when it has had its turn or is about to.
            _ = await client.wait { statuses($0).count == Limits.requestsPerIteration }
            try await Task.sleep(for: .milliseconds(10))
            await client.send(second + get)
            let text = await client.wait {
                statuses($0).count == Limits.requestsPerIteration + 2 && $0.hasSuffix("GET /next ")
            }
            #expect(text.contains("\r\n\r\n\(first)\(second)HTTP/1.1 200"))
            await client.close()
        }
    }

    @Test func `a body that waits for its turn is whole though its client has closed its half`()
        async throws
    {
        let body = "a".times(6_000)
        try await withServer(streamsBody: isPost, handler: readLate) { _, port, _ in
            let text = await exchangeHalfClosed(
                port: port, aTurn + post("Content-Length: 6000", body) + get)
            #expect(statuses(text).count == Limits.requestsPerIteration + 2)
            #expect(text.contains("\r\n\r\n\(body)HTTP/1.1 200"))
        }
    }

    @Test func `a slow body may take longer than a body in memory, but not pause for long`()
        async throws
    {
        var limits = ServerLimits.standard
        limits.bodyTimeoutSeconds = 0.2
        limits.streamIdleTimeoutSeconds = 0.6
        try await withServer(limits: limits, streamsBody: isPost, handler: count) {
            loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post("Content-Length: 20"))
            await client.drip("A".times(12), every: .milliseconds(60))
            let text = await client.readToEnd()
            #expect(text.contains("12 1 timedOut"))
            #expect(text.contains("connection: close"))
            await client.close()
        }
    }

    @Test func `a body that is cut short does not pass for a whole one`() async throws {
        try await withServer(streamsBody: isPost, handler: count) { _, port, _ in
            let text = await exchangeHalfClosed(port: port, post("Content-Length: 20", "abc"))
            #expect(text.contains("3 3 cutShort"))
        }
    }

    @Test func `framing that is not HTTP ends the body`() async throws {
        try await withServer(streamsBody: isPost, handler: count) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post("Transfer-Encoding: chunked", "3\r\nabc\r\nxyz\r\n"))
            let text = await client.readToEnd()
            #expect(text.contains("3 3 malformed"))
            await client.close()
        }
    }

    @Test func `a body that announces more than can be counted is refused`() async throws {
        try await withServer(streamsBody: isPost, handler: count) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post("Content-Length: 9223372036854775808", "abc"))
            let text = await client.readToEnd()
            #expect(text.contains("0 0 malformed"))
            #expect(text.contains("connection: close"))
            await client.close()
        }
    }

    @Test func `an answer before the end of the body closes the connection`() async throws {
        let handler: Handler = { _ in Response(status: 403, body: .bytes(Array("no".utf8))) }
        try await withServer(streamsBody: isPost, handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post("Content-Length: 2000000", "A".times(100_000)))
            let text = await client.readToEnd()
            #expect(statuses(text) == [403])
            #expect(text.hasSuffix("no"))
            #expect(text.contains("connection: close"))
            await client.close()
        }
    }

    @Test func `a client that waits may go on only when somebody wants the body`()
        async throws
    {
        let handler: Handler = { request in
            request.target == "/no" ? Response(status: 403) : await count(request)
        }
        try await withServer(streamsBody: isPost, handler: handler) { loop, port, _ in
            let headers = "Content-Length: 3\r\nExpect: 100-continue"
            let client = await RawClient.connect(loop, port: port)
            await client.send(post(headers))
            _ = await client.wait { $0.hasPrefix("HTTP/1.1 100 Continue\r\n\r\n") }
            await client.send("abc")
            #expect(statuses(await client.wait { $0.contains("whole") }) == [100, 200])
            await client.close()
            let refused = await RawClient.connect(loop, port: port)
            await refused.send(post(headers).replacing("POST /", with: "POST /no"))
            #expect(statuses(await refused.readToEnd()) == [403])
            await refused.close()
        }
    }

    @Test func `a server that stops ends an upload, and its handler still answers`() async throws {
        try await withServer(streamsBody: isPost, handler: count) { loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.send(post("Content-Length: 20\r\nExpect: 100-continue"))
            _ = await client.wait { $0.contains("100 Continue") }
            async let drained: Void = server.drain(within: .seconds(10))
            #expect(await client.readToEnd().contains("0 0 serverStopping"))
            await client.close()
            await drained
        }
    }
}
