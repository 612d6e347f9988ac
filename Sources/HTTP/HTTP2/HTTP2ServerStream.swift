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
    /// What is counted for it.
    var head: BodyReservation
    var isRequestComplete = false
    /// On the loop's clock: when patience with the peer ends.
    var dueMillis: UInt64
    var task: Task<Void, Never>?

    /// Whether the body is taken: asked once the head has come.
    enum AdmissionState {
        case undecided, asking, admitted
        /// The answer may have to wait; no handler sees the request meanwhile.
        case refused
    }
    var admission = AdmissionState.undecided
    var bodyBytesMax: Int
    /// What is counted for the request's body.
    var received: BodyReservation
    /// What has come and no window update has acknowledged: it sends a window of it at most.
    var unconsumedBytes = 0
    /// What came when the body was of no more use.
    var discardedBytes = 0
    /// The body's input if it is handed over as it comes, while more of it is to come.
    var bodyInput: BodyInput?

    /// Of the response's body what is not sent: all of one that is whole, in the array that the
    /// handler gave, and of one that is streamed `HTTP2Limits.streamedBytesMax` and a chunk; in
    /// memory twice that at most.
    var outgoing = ByteQueue()
    /// What is counted for it.
    var waiting: BodyReservation
    /// What the client has taken of it since its time began.
    var takenBytes = 0
    /// No more will be added to `outgoing`.
    var isOutgoingWhole = true
    /// nghttp2 is set to ask no more until there is something to send.
    var isDeferred = false
    /// The last message of an event stream when the server stops; nil for other answers.
    var closingBytes: [UInt8]?
    /// The producer of a streamed body waits here while enough of it is unsent.
    var roomWaiter: CheckedContinuation<Bool, Never>?

    init(
        id: Int32, connectionID: UInt64, bodyBytesMax: Int, dueMillis: UInt64,
        accounts: BodyAccounts
    ) {
        self.id = id
        self.bodyBytesMax = bodyBytesMax
        self.dueMillis = dueMillis
        head = BodyReservation(.head, in: accounts)
        received = BodyReservation(.request, in: accounts)
        waiting = BodyReservation(.answer, in: accounts)
        request = Request(method: "", target: "", connectionID: connectionID)
        request.headers.reserveCapacity(10)
    }

    /// One that is being asked about is handed out with the answer, and one that is refused never.
    var mayBeHandedOut: Bool {
        phase == .receiving && admission != .asking && admission != .refused
    }

    /// Moves what fits into the frame under construction.
    func take(into frame: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(frame.count, outgoing.count)
        outgoing.withBytes { frame.copyBytes(from: $0.prefix(count)) }
        outgoing.take(count)
        return count
    }

    /// Of the request nothing is kept but how it is answered, so that a stream that stays open
    /// costs little.
    func dropHead() {
        request = Request(
            method: request.method == "HEAD" ? "HEAD" : "", target: "", headers: Headers())
        head.end()
    }

    /// Tells a waiting producer to go on, or that nobody listens any more.
    func resumeProducer(_ mayGoOn: Bool) {
        roomWaiter?.resume(returning: mayGoOn)
        roomWaiter = nil
    }

    /// The stream is over: its handler may stop.
    func cancel() {
        outgoing.removeAll()
        dropHead()
        waiting.end()
        task?.cancel()
        task = nil
        bodyInput?.fail(.cutShort)
        bodyInput = nil
        resumeProducer(false)
    }
}
