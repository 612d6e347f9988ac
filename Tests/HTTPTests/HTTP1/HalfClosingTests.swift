import EventLoop
import HTTP
import TestSupport
import Testing

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
