import EventLoop

/// Reads `GET /v1/stream` and says which version of which activity it tells of. On the loop only.
final class StreamFollower {
    private let socket: Socket
    private let onVersion: (_ activity: String, _ version: Int) -> Void
    private let onReady: () -> Void
    private var received = WireText()

    init(
        _ socket: Socket, key: String, onReady: @escaping () -> Void,
        onVersion: @escaping (_ activity: String, _ version: Int) -> Void
    ) {
        self.socket = socket
        self.onReady = onReady
        self.onVersion = onVersion
        socket.onBytes = { [unowned self] in take($0) }
        socket.onClose = { error in
            IsletBench.fail("the stream ended: \(String(describing: error))")
        }
        socket.write(
            Array(
                ("GET /v1/stream?after=latest HTTP/1.1\r\nhost: bench\r\n"
                    + "authorization: Bearer \(key)\r\n\r\n").utf8))
    }

    /// A message may have chunks' sizes around it, which look like nothing that is looked for.
    private func take(_ bytes: UnsafeRawBufferPointer) {
        received.bytes += bytes
        var start = 0
        while let end = received.end(of: "\n\n", from: start) {
            if let place = received.end(of: "data: {\"activity\":{\"id\":\"", from: start),
                place < end
            {
                guard let version = received.end(of: "\"version\":", from: place), version < end,
                    let number = received.number(at: version)
                else { IsletBench.fail("a message has no version") }
                onVersion(received.word(at: place), number)
            } else if let ready = received.end(of: "event: ready\n", from: start), ready < end {
                onReady()
            }
            start = end
        }
        received.drop(start)
    }
}
