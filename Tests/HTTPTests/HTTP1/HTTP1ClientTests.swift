import EventLoop
import Foundation
import HTTP
import Testing

/// A server that answers every connection with the same bytes, whole or one by one, and closes.
private func withServer(
    _ answer: String, oneByOne: Bool = false, closes: Bool = true,
    _ body: (HTTP1Client) async throws -> Void
) async throws {
    let loop = EventLoop(name: "answers")
    let bytes = Array(answer.utf8)
    let port = try await loop.submit { () throws(NetworkError) in
        try loop.listen(host: "127.0.0.1", port: 0) { socket in
            socket.onClose = { _ in socket.close() }
            socket.onBytes = { _ in
                for chunk in oneByOne ? bytes.map({ [$0] }) : [bytes] { socket.write(chunk) }
                if closes { socket.shutdownThenClose() }
            }
        }.port
    }
    try await body(HTTP1Client(loop: loop, host: "127.0.0.1", port: port))
    await loop.shutdown()
}

private let hello = "HTTP/1.1 201 Created\r\nX-Name: a\r\ncontent-length: 5\r\n\r\nhello"

struct `The HTTP/1.1 client` {
    @Test(arguments: [
        hello,
        "HTTP/1.1 201 Created\r\nx-name: a\r\ntransfer-encoding: chunked\r\n\r\n"
            + "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
        "HTTP/1.1 201 Created\r\nx-name: a\r\n\r\nhello",
    ])
    func `reads a body however its end is told`(answer: String) async throws {
        for oneByOne in [false, true] {
            try await withServer(answer, oneByOne: oneByOne) { client in
                let response = try await client.send(Request(method: "GET", target: "/"))
                #expect(response.status == 201)
                #expect(response.headers["x-name"] == "a")
                guard case .bytes(let bytes) = response.body else {
                    Issue.record("no bytes")
                    return
                }
                #expect(String(decoding: bytes, as: UTF8.self) == "hello")
            }
        }
    }

    @Test func `says that the connection was cut in the middle of an answer`() async throws {
        try await withServer(String(hello.dropLast())) { client in
            await #expect(throws: HTTPError.protocolViolation("the answer is not valid HTTP/1.1")) {
                try await client.send(Request(method: "GET", target: "/"))
            }
        }
    }

    @Test func `does not take a connection that was cut before the answer for one`() async throws {
        try await withServer("") { client in
            await #expect(throws: HTTPError.connectionClosed) {
                try await client.send(Request(method: "GET", target: "/"))
            }
        }
    }

    @Test func `says that nothing came in time`() async throws {
        try await withServer("", closes: false) { client in
            await #expect(throws: HTTPError.deadlineExceeded) {
                try await client.send(
                    Request(method: "GET", target: "/"), deadline: .milliseconds(100))
            }
        }
    }

    @Test func `says that what came is no HTTP`() async throws {
        try await withServer("hello there, this is no protocol\r\n\r\n") { client in
            await #expect(throws: HTTPError.protocolViolation("the answer is not valid HTTP/1.1")) {
                try await client.send(Request(method: "GET", target: "/"))
            }
        }
    }

    @Test func `sends no header or target that would begin another line`() async throws {
        try await withServer(hello) { client in
            for request in [
                Request(method: "GET", target: "/\r\nx: y"),
                Request(method: "GET", target: "/", headers: ["x": "y\r\nz: w"]),
            ] {
                await #expect(throws: HTTPError.self) { try await client.send(request) }
            }
        }
    }

    @Test func `says that nobody listens`() async throws {
        let loop = EventLoop(name: "nobody")
        let client = HTTP1Client(loop: loop, host: "127.0.0.1", port: 1)
        await #expect(throws: HTTPError.cannotConnect("connection refused")) {
            try await client.send(Request(method: "GET", target: "/"))
        }
        await loop.shutdown()
    }
}
