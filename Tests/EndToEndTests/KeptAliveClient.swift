import Foundation
import Glibc
import TestSupport

/// A client as merchants have them: one connection that is kept for request after request,
/// blocking, on a thread of its own.
final class KeptAliveClient {
    /// The result of one request.
    enum Answer: Equatable {
        case answered(status: Int)
        /// The connection ended before the first byte of an answer.
        case closedUnanswered
        /// The connection ended in the middle of an answer.
        case cut
        /// Nobody listens any more.
        case refused
    }

    private let port: Int
    private var socket: Int32 = -1

    init(port: Int) { self.port = port }

    deinit { close() }

    private func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    private func connect() -> Bool {
        socket = connectedSocket(to: port) ?? -1
        return socket >= 0
    }

    /// On the connection there is, or a new one.
    func post(_ body: String, key: String) -> Answer {
        // As clients do that keep connections: one that has ended meanwhile is not used again.
        if socket >= 0, hasEnded { close() }
        if socket < 0, !connect() { return .refused }
        let text =
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(key)\r\n"
            + "Content-Type: application/cloudevents+json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let bytes = Array(text.utf8)
        let sent = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard sent == bytes.count else {
            close()
            return .closedUnanswered
        }
        return answer()
    }

    private var hasEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN
    }

    private func answer() -> Answer {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else {
                close()
                return received.isEmpty ? .closedUnanswered : .cut
            }
            received += buffer[..<count]
            let text = String(decoding: received, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n") else { continue }
            let head = text[..<end.lowerBound]
            let length = head.firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
            guard text[end.upperBound...].utf8.count >= length else { continue }
            if head.contains("connection: close") { close() }
            return .answered(status: Int(head.dropFirst(9).prefix(3)) ?? 0)
        }
    }
}
