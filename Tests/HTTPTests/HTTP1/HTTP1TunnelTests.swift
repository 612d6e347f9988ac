import EventLoop
import Testing

@testable import HTTP

/// What a proxy may answer to `CONNECT`.
@Suite(.timeLimit(.minutes(1)))
struct HTTP1TunnelTests {
    @Test(
        arguments: [
            "HTTP/1.1 200 Connection established\r\nvia: 1.1 proxy\r\n\r\n",
            "HTTP/1.0 204\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        ], [1, 1_000])
    func `a final status of 2xx opens the tunnel, in whatever pieces it comes`(
        _ answer: String, readBytesMax: Int
    ) async throws {
        #expect(try await failure(answer, readBytesMax: readBytesMax) == nil)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.\r\n\r\n", "HTTP/1.1 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx: " + String(repeating: "y", count: 40_000),
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/2.0 200 OK\r\n\r\n",
    ])
    func `what is no head of HTTP is refused without a wait for its end`(
        _ answer: String
    ) async throws {
        let failure = try await failure(answer, readBytesMax: 1_000)
        #expect(failure?.description.contains("does not answer in HTTP") == true)
    }

    @Test func `a refusal is known by its status, whatever follows`() async throws {
        let page = String(repeating: "<p>no</p>", count: 10_000)
        let failure = try await failure(
            "HTTP/1.1 403 No\r\ncontent-length: \(page.count)\r\n\r\n" + page, readBytesMax: 64_000)
        #expect(failure?.description.contains("does not let us through to far:443 (403)") == true)
    }

    private func failure(_ answer: String, readBytesMax: Int) async throws -> HTTPError? {
        let loop = EventLoop(name: "tunnel")
        let port = try await loop.submit {
            try loop.listen(host: "127.0.0.1", port: 0) { socket in
                socket.onBytes = { _ in socket.write(Array(answer.utf8)) }
            }.port
        }
        let failure: HTTPError? = await withCheckedContinuation { continuation in
            loop.run {
                loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                    guard case .success(let socket) = result else {
                        return continuation.resume(returning: .connectionClosed)
                    }
                    socket.readBytesMax = readBytesMax
                    let proxy = HTTPProxy(host: "127.0.0.1", port: port)
                    HTTP1Tunnel(socket, through: proxy, to: "far:443").open {
                        continuation.resume(returning: $0)
                    }
                }
            }
        }
        await loop.shutdown()
        return failure
    }
}
