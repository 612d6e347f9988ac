import EventLoop
import TestSupport
import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1)))
struct `A request whose client closes its half before the answer` {
    private static let request = "POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"

    @Test func `is given up if it is one that ends with its client`() async throws {
        let isCancelled = Lock(false)
        let handler: Handler = { _ in
            do { try await Task.sleep(for: .seconds(50)) } catch {
                isCancelled.withLock { $0 = true }
            }
            return Response(status: 200)
        }
        try await withServer(
            endsWithClient: { $0.method == "POST" && $0.path == "/long" }, handler: handler
        ) { _, port, _ in
            #expect(await exchangeHalfClosed(port: port, Self.request) == "")
            try await waitUntil("the handler is cancelled") { isCancelled.withLock { $0 } }
        }
    }

    @Test func `is given up also if it still waits for its turn`() async throws {
        let handler: Handler = { request in
            if request.path == "/long" { try? await Task.sleep(for: .seconds(50)) }
            return await echo(request)
        }
        // As many as a client may have begun at once.
        let before = "GET /short HTTP/1.1\r\nHost: a\r\n\r\n".times(Limits.requestsPerIteration)
        try await withServer(
            endsWithClient: { $0.path == "/long" }, handler: handler
        ) { _, port, _ in
            let text = await exchangeHalfClosed(port: port, before + Self.request)
            #expect(statuses(text) == Array(repeating: 200, count: Limits.requestsPerIteration))
        }
    }

    @Test func `is given up if the answer is a stream`() async throws {
        let isOver = Lock(false)
        let handler: Handler = { _ in
            try? await Task.sleep(for: .milliseconds(20))
            let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
            continuation.onTermination = { _ in isOver.withLock { $0 = true } }
            return Response(status: 200, body: .stream(chunks))
        }
        try await withServer(handler: handler) { _, port, _ in
            _ = await exchangeHalfClosed(port: port, Self.request)
            try await waitUntil("the stream is over") { isOver.withLock { $0 } }
        }
    }

    @Test func `is answered if it is any other`() async throws {
        let handler: Handler = { request in
            try? await Task.sleep(for: .milliseconds(10))
            return await echo(request)
        }
        try await withServer(
            endsWithClient: { $0.path == "/other" }, handler: handler
        ) { _, port, _ in
            let text = await exchangeHalfClosed(port: port, Self.request)
            #expect(text.hasPrefix("HTTP/1.1 200"), "\(text)")
        }
    }
}
