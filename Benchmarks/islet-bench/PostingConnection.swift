import EventLoop
import Foundation

/// Posts events over one connection that stays open, one after the other or pipelined. On the
/// loop only.
final class PostingConnection {
    private let socket: Socket
    private let head: String
    private var received = WireText()
    /// Of the posts that wait for their answers, in their order.
    private var waiting: [() -> Void] = []
    private var nextWaiting = 0

    init(_ socket: Socket, key: String) {
        self.socket = socket
        head =
            "POST /v1/events HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer \(key)\r\n"
            + "content-type: application/cloudevents+json\r\ncontent-length: "
        socket.onBytes = { [unowned self] in take($0) }
        socket.onClose = { error in
            IsletBench.fail("a posting connection ended: \(String(describing: error))")
        }
    }

    func close() {
        socket.onClose = { _ in }
        socket.close()
    }

    /// - Parameter onAnswer: called when the event is acknowledged.
    func post(_ json: String, onAnswer: @escaping () -> Void) {
        waiting.append(onAnswer)
        socket.write(Array("\(head)\(json.utf8.count)\r\n\r\n\(json)".utf8))
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        received.bytes += bytes
        while let bodyStart = received.end(of: "\r\n\r\n") {
            guard let lengthStart = received.end(of: "content-length: "),
                let length = received.number(at: lengthStart)
            else { IsletBench.fail("an answer has no length") }
            let end = bodyStart + length
            guard received.bytes.count >= end else { return }
            guard received.end(of: "HTTP/1.1 201") == 12 else {
                let answer = String(decoding: received.bytes.prefix(end), as: UTF8.self)
                IsletBench.fail("an event was not recorded: \(answer)")
            }
            received.drop(end)
            let answered = waiting[nextWaiting]
            nextWaiting += 1
            answered()
        }
    }
}
