import EventLoop

/// One client's connection: reads a request, has it answered, reads the next.
///
/// Requests that come ahead of time (pipelining) wait as bytes, so answers keep the order of the
/// requests. Extensions: `+Reading` takes input, `+Admission` says whose, `+Responding` writes,
/// `+Deadlines` gives up.
// @unchecked: every member is touched on the loop's thread only; handlers come back through it.
final class HTTP1Connection: @unchecked Sendable {
    enum Phase {
        /// Between requests or in the middle of one.
        case reading
        /// A head has come, and its turn to be begun has not.
        case queued
        /// A head has come, and it is being found out whether its body is taken.
        case admitting
        /// A handler is at work.
        case handling
        /// A response is under way, chunk by chunk.
        case streaming
        /// An answer to what was not read to its end is about to be sent; input waits.
        case refusing
        /// The last answer is being sent; input is ignored.
        case closing
        case closed
    }

    /// What the client owes us while `phase` is `reading`; each has its own time.
    enum Awaiting { case firstRequest, nextRequest, restOfHead, body, moreOfStream }

    let id: UInt64
    let socket: Socket
    let server: HTTP1Server
    let parser: RequestParser

    var phase = Phase.reading
    var awaiting = Awaiting.firstRequest
    /// The head of the request being read or answered; nil before it is complete.
    var head: RequestHead?
    /// Counts requests, so that a late answer cannot be taken for another request's.
    var requestNumber = 0
    /// The handler, or the pump of a stream.
    var task: Task<Void, Never>?
    /// The last chunk of an event stream when the server stops; nil for other answers.
    var closingBytes: [UInt8]?
    /// The body of the request being handled, while more of it is to come.
    var bodyInput: BodyInput?

    /// The account of the client's address, or of the proxy's.
    let account: BodyAccounts.Account
    let own: [BodyAccounts.Account]
    /// The other side is a proxy to be trusted, which speaks for many.
    let isOfProxy: Bool
    /// What is counted for the request's body. The body itself is in the parser:
    /// `Admission.Terms.bodyBytesMax` at most.
    var received: BodyReservation

    /// Input that came while a request was being answered: `ServerLimits.pipelinedBytesMax` and one
    /// read more, which is when reading stops; in memory twice that at most.
    var ahead = ByteQueue()
    /// What the socket has no room for yet, of an answer or of a chunk of one. No other answer is
    /// begun before the client has taken it.
    var rest = ByteQueue()
    /// What is counted for it.
    var waiting: BodyReservation
    var isParsing = false
    var hasPeerFinished = false

    /// On the loop's clock; `UInt64.max` is never.
    var readDeadlineMillis = UInt64.max
    /// How long that wait is in all.
    var readWaitMillis: UInt64 = 0
    var takingTime = TakingTime()
    var roomWaiter: CheckedContinuation<Void, Never>?

    init(
        id: UInt64, socket: Socket, server: HTTP1Server, account: BodyAccounts.Account,
        isOfProxy: Bool
    ) {
        self.id = id
        self.socket = socket
        self.server = server
        self.account = account
        own = [account]
        received = BodyReservation(.request, in: server.control.accounts)
        waiting = BodyReservation(.answer, in: server.control.accounts)
        self.isOfProxy = isOfProxy
        parser = RequestParser(server.limits)
        expect(.firstRequest)
        socket.onBytes = { [self] in received($0) }
        socket.onClose = { [self] in peerEnded($0) }
        socket.onDrained = { [self] in drained() }
        socket.onReleased = { [self] in released() }
    }

    /// The client came by TLS, to this server or to a proxy to be trusted.
    func isSecure(_ headers: Headers) -> Bool {
        server.isSecure || (isOfProxy && ClientAddress.isForwardedSecurely(headers))
    }

    /// The kernel has all that was sent.
    var isDrained: Bool { socket.unsentBytes == 0 && rest.isEmpty }

    /// Nothing asked and nothing left to send: can be closed without anybody missing something.
    var isIdle: Bool { isSpare && awaiting != .restOfHead && !socket.hasUnread }

    func peerEnded(_ error: NetworkError?) {
        // After an error the socket is closed, and `released` does the rest.
        guard error == nil else { return }
        hasPeerFinished = true
        switch phase {
        case .reading:
            // In the middle of a request or between two; unless whole ones wait for their turn.
            if ahead.isEmpty { finish() }
        case .handling:
            // HTTP lets a client close its half after its last request and wait for the answer. One
            // that closed both looks the same until something is written to it, so the request
            // is carried out; only a reset says that nobody waits. What takes long and changes
            // nothing is not worth that: it can be asked again.
            // The end of the body may be among what waits; then `resumeBody` looks.
            if ahead.isEmpty { bodyInput?.fail(.cutShort) }
            if let head, server.control.endsWithClient(head.request) { socket.close() }
        case .streaming:
            // Who reads a stream has no reason to close its half: it has gone.
            socket.close()
        case .queued, .admitting, .refusing, .closing, .closed:
            break
        }
    }

    /// Sends what is unsent, then closes.
    func finish() {
        guard phase != .closed else { return }
        phase = .closing
        readDeadlineMillis = .max
        // What comes while the rest is being sent stays with the kernel.
        if rest.isEmpty { socket.shutdownThenClose() } else { socket.pauseReading() }
    }

    func released() {
        phase = .closed
        readDeadlineMillis = .max
        ahead.removeAll()
        rest.removeAll()
        waiting.end()
        bodyInput?.fail(.cutShort)
        bodyInput = nil
        dropBody()
        task?.cancel()
        task = nil
        resumeRoomWaiter()
        server.forget(self)
    }
}
