/// One request of a client and the response to it. Loop-bound.
final class HTTP2ServerStream {
    enum Phase {
        /// The request is still coming in.
        case receiving
        /// The handler has it.
        case handling
        /// The response is going out.
        case answering
    }

    let id: Int32
    var request: Request
    var phase = Phase.receiving
    var headBytes = 0
    var isRequestComplete = false
    /// On the loop's clock: when patience with the peer ends.
    var dueMillis: UInt64
    var task: Task<Void, Never>?

    // The response's body.
    var outgoing: [UInt8] = []
    var outgoingOffset = 0
    /// No more will be added to `outgoing`.
    var isOutgoingWhole = true
    /// nghttp2 has been told to ask no more until there is something to send.
    var isDeferred = false
    /// The producer of a streamed body waits here while enough of it is unsent.
    var roomWaiter: CheckedContinuation<Bool, Never>?

    init(id: Int32, connectionID: UInt64, dueMillis: UInt64) {
        self.id = id
        self.dueMillis = dueMillis
        request = Request(method: "", target: "", connectionID: connectionID)
        request.headers.reserveCapacity(10)
    }

    var unsentCount: Int { outgoing.count - outgoingOffset }

    /// Moves what fits into the frame under construction.
    func take(into frame: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(frame.count, unsentCount)
        outgoing.withUnsafeBytes { bytes in
            frame.copyBytes(from: bytes[outgoingOffset..<(outgoingOffset + count)])
        }
        outgoingOffset += count
        if unsentCount == 0, !isOutgoingWhole {
            outgoing.removeAll(keepingCapacity: true)
            outgoingOffset = 0
        }
        return count
    }

    /// Tells a waiting producer to go on, or that nobody listens any more.
    func resumeProducer(_ mayGoOn: Bool) {
        roomWaiter?.resume(returning: mayGoOn)
        roomWaiter = nil
    }

    /// The stream is over: whoever works for it may stop.
    func cancel() {
        task?.cancel()
        task = nil
        resumeProducer(false)
    }
}
