import EventLoop
import Foundation
import HTTP
import JSON
import Testing

@testable import API

/// The API behind a real HTTP/1.1 server on loopback.
struct ServedAPI {
    let loop: EventLoop
    let server: HTTP1Server
    let port: Int

    static func start(
        limits: ServerLimits = .standard, admission: Admitter? = nil, handler: @escaping Handler
    ) async throws -> ServedAPI {
        let loop = EventLoop(name: "api-tests")
        let server = HTTP1Server(
            loop: loop, host: "127.0.0.1", port: 0, limits: limits, rejection: API.rejection,
            streamsBody: API.streamsBody, endsWithClient: API.endsWithClient,
            admission: admission, handler: handler)
        return ServedAPI(loop: loop, server: server, port: try await server.start())
    }

    func stop() async {
        await server.drain(within: .seconds(1))
        await loop.shutdown()
    }

    /// Sends the bytes and returns what came back when `isEnough` says so or the server closed.
    func exchange(
        _ request: String, until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async -> String {
        await withCheckedContinuation { continuation in
            loop.run {
                loop.connect(host: "127.0.0.1", port: port, timeout: .seconds(5)) { result in
                    guard case .success(let socket) = result else {
                        return continuation.resume(returning: "")
                    }
                    var received: [UInt8] = []
                    var isDone = false
                    func finish() {
                        guard !isDone else { return }
                        isDone = true
                        socket.onBytes = nil
                        socket.onClose = nil
                        socket.close()
                        continuation.resume(returning: String(decoding: received, as: UTF8.self))
                    }
                    socket.onBytes = { bytes in
                        received += bytes
                        if isEnough(String(decoding: received, as: UTF8.self)) { finish() }
                    }
                    socket.onClose = { _ in finish() }
                    socket.write(Array(request.utf8))
                }
            }
        }
    }
}

/// The JSON after the head of an answer.
func body(of answer: String) throws -> JSON {
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    try #require(parts.count == 2, "\(answer)")
    return try JSONParser.parse(Array(parts[1].utf8))
}
