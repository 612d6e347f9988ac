import EventLoop
import Glibc
import TestSupport
import Testing

@testable import HTTP

private func get(_ targets: ClosedRange<Int>) -> String {
    targets.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
}

private func numbers(_ text: String) -> [String] { text.components(between: "<", and: ">") }

/// Answers with the number that was asked for.
private let answer: Handler = { request in
    Response(status: 200, body: .bytes(Array("<\(request.target.dropFirst())>".utf8)))
}

@Suite(.timeLimit(.minutes(1)))
struct `Requests that a client sends at once` {
    /// Of another client or of the same one, on another connection.
    @Test(arguments: ["127.0.0.1", "127.0.0.2"])
    func `let a request on another connection go between`(address: String) async throws {
        let asked = Lock<[String]>([])
        let other = Lock<Int32?>(nil)
        let handler: Handler = { request in
            asked.withLock { $0.append(request.target) }
            // What is sent is with the server's kernel before the second one is answered.
            if request.target == "/1", let descriptor = other.value {
                let text = Array("GET /other HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                #expect(send(descriptor, text, text.count, 0) == text.count)
            }
            return await answer(request)
        }
        try await withServer(handler: handler) { loop, port, _ in
            let descriptor = try #require(connectedSocket(to: port, from: address))
            defer { close(descriptor) }
            other.withLock { $0 = descriptor }
            let client = await RawClient.connect(loop, port: port)
            await client.send(get(1...1_000))
            let text = await client.wait { $0.hasSuffix("<1000>") }
            #expect(numbers(text) == (1...1_000).map(String.init))
            try await waitUntil { asked.value.contains("/other") }
            let before = try #require(asked.value.firstIndex(of: "/other"))
            #expect(before < 4 * Limits.requestsPerIteration, "\(before) were begun before it")
            await client.close()
        }
    }

    @Test func `are begun a few in each iteration, on however many connections they come`()
        async throws
    {
        let serving = Lock<EventLoop?>(nil)
        let begun = Lock<[UInt64: Int]>([:])
        let handler: Handler = { request in
            if let loop = serving.value {
                begun.withLock { $0[loop.iteration, default: 0] += 1 }
            }
            return await answer(request)
        }
        try await withServer(handler: handler) { loop, port, server in
            serving.withLock { $0 = server.loop }
            var clients: [RawClient] = []
            for _ in 0..<20 { clients.append(await RawClient.connect(loop, port: port)) }
            for client in clients { await client.send(get(1...300)) }
            for client in clients {
                let text = await client.wait(within: .seconds(30)) { $0.hasSuffix("<300>") }
                #expect(numbers(text) == (1...300).map(String.init))
                await client.close()
            }
            // Those that have waited are begun before the loop counts the next iteration.
            let most = try #require(begun.value.values.max())
            #expect(most <= 2 * clients.count, "\(most) were begun in one iteration")
        }
    }

    @Test func `are all answered if the client closes its half behind them`() async throws {
        try await withServer(handler: answer) { _, port, _ in
            let text = await exchangeHalfClosed(port: port, get(1...200))
            #expect(numbers(text) == (1...200).map(String.init))
        }
    }

    @Test func `have their bodies, whether they are asked about first or not`() async throws {
        let size: Handler = { request in
            Response(status: 200, body: .bytes(Array("<\(request.body.count)>".utf8)))
        }
        let door: Admitter = { request in
            if request.target == "/later" { await Task.yield() }
            return .admitted(.init())
        }
        try await withServer(admission: door, handler: size) { loop, port, _ in
            let client = await RawClient.connect(loop, port: port)
            let sizes = (0..<100).map { [0, 10, 20_000][$0 % 3] }
            let requests = sizes.enumerated().map { index, size in
                "POST \(index % 2 == 0 ? "/now" : "/later") HTTP/1.1\r\nHost: a\r\n"
                    + "Content-Length: \(size)\r\n\r\n" + "a".times(size)
            }
            await client.send(requests.joined())
            let text = await client.wait { numbers($0).count == sizes.count }
            #expect(numbers(text) == sizes.map(String.init))
            await client.close()
        }
    }

    @Test func `leave nothing behind if the client has gone before their turn`() async throws {
        let begun = Lock(0)
        let handler: Handler = { request in
            begun.withLock { $0 += 1 }
            return await answer(request)
        }
        try await withServer(handler: handler) { loop, port, server in
            let client = await RawClient.connect(loop, port: port)
            await client.send(get(1...1_500))
            try await waitUntil { begun.value > 0 }
            await client.close()
            try await waitUntil {
                await server.loop.submit {
                    server.connections.isEmpty && server.control.accounts.count == 0
                }
            }
        }
    }
}
