import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

/// Of this process, in bytes.
private func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return try #require(pages) * 4_096
}

/// Lets one handler after the other go on.
private final class Turnstile: Sendable {
    private let waiters = Lock<[CheckedContinuation<Void, Never>]>([])
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream()

    func pass() async {
        await withCheckedContinuation { continuation in
            waiters.withLock { $0.append(continuation) }
            arrival.yield()
        }
    }

    /// Waits for somebody to come.
    func someone(_ iterator: inout AsyncStream<Void>.Iterator) async {
        _ = await iterator.next(isolation: #isolation)
    }

    func letOneGo() {
        let first = waiters.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        first?.resume()
    }

    func makeIterator() -> AsyncStream<Void>.Iterator { arrivals.makeAsyncIterator() }
}

@Suite(.timeLimit(.minutes(2))) struct PipeliningTests {
    /// Without the bound all of it stays: 240 MB.
    @Test func `a client that always keeps a request waiting makes nothing grow`() async throws {
        let turnstile = Turnstile()
        let handler: Handler = { request in
            await turnstile.pass()
            return Response(status: 200, body: .bytes(Array(request.target.utf8)))
        }
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let padding = "a".times(12_000)
            func request(_ number: Int) -> String {
                "GET /\(number) HTTP/1.1\r\nHost: a\r\nX: \(padding)\r\n\r\n"
            }
            var arrivals = turnstile.makeIterator()
            await client.send(request(0) + request(1) + request(2))
            await turnstile.someone(&arrivals)
            let before = try residentBytes()
            for number in 1...20_000 {
                await client.send(request(number + 2))
                // What was sent is with the server's kernel: it is read before the next iteration.
                while await client.unsentBytes > 0 { await Task.yield() }
                turnstile.letOneGo()
                await turnstile.someone(&arrivals)
            }
            let grown = try residentBytes() - before
            #expect(grown < 32 << 20, "\(grown / 1_048_576) MB for 240 MB of requests")
            for _ in 0..<4 { turnstile.letOneGo() }
            await client.close()
        }
        turnstile.letOneGo()
    }

    @Test func `a flood of requests ahead is kept waiting, and answered in the end`() async throws {
        let handler: Handler = { request in
            try? await Task.sleep(for: .milliseconds(1))
            return Response(status: 200, body: .bytes(Array("<\(request.target)>".utf8)))
        }
        try await withServer(handler: handler) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let requests = (0..<2_000).map {
                "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 500\r\n\r\n" + "a".times(500)
            }
            await client.send(requests.joined())
            let text = await client.wait(within: .seconds(60)) { $0.hasSuffix("</1999>") }
            #expect(text.components(between: "<", and: ">") == (0..<2_000).map { "/\($0)" })
            await client.close()
        }
    }
}
