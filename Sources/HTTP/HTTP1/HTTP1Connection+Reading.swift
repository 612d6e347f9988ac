import EventLoop

extension HTTP1Connection {
    /// The client has yet to take too much output for another request to be answered.
    var isClogged: Bool {
        !rest.isEmpty || socket.unsentBytes > server.limits.unsentBytesMax
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        if bodyInput != nil { return receivedBody(bytes) }
        var rest = bytes
        if phase == .reading, ahead.isEmpty, !isClogged {
            rest = UnsafeRawBufferPointer(rebasing: bytes[parse(bytes)...])
        }
        if bodyInput != nil { return receivedBody(rest) }
        guard phase != .refusing, phase != .closing, phase != .closed else { return }
        if !rest.isEmpty { ahead.append(rest) }
        if ahead.count > server.limits.pipelinedBytesMax { socket.pauseReading() }
    }

    /// Goes on with input that waited; called whenever an answer or the output is out of the way.
    func parseAhead() {
        guard phase == .reading, !isParsing, !isClogged else { return }
        if !ahead.isEmpty {
            // Kept here: a connection that ends meanwhile lets go of them.
            let input = ahead
            ahead.take(input.withBytes { parse($0) })
        }
        if bodyInput != nil { return resumeBody() }
        guard phase == .reading, !isClogged else { return }
        if hasPeerFinished { return finish() }
        if ahead.count <= server.limits.pipelinedBytesMax { socket.resumeReading() }
    }

    /// Takes requests out of the input for as long as each is answered at once.
    /// - Returns: how many bytes were taken.
    private func parse(_ input: UnsafeRawBufferPointer) -> Int {
        isParsing = true
        defer { isParsing = false }
        var offset = 0
        while phase == .reading, offset < input.count, !isClogged {
            let (used, step) = parser.feed(UnsafeRawBufferPointer(rebasing: input[offset...]))
            offset += used
            take(step, remaining: input.count - offset)
        }
        return offset
    }

    /// - Parameter remaining: bytes behind what was taken that are there already.
    private func take(_ step: RequestParser.Step, remaining: Int) {
        if awaiting == .body, !reserveReceived() { return reject(Self.noRoom) }
        switch step {
        case .more:
            switch awaiting {
            case .firstRequest, .nextRequest: expect(.restOfHead)
            case .restOfHead, .body, .moreOfStream: break
            }
        case .head: takeHead(remaining: remaining)
        case .done: dispatch()
        case .rejected(let rejection): reject(rejection)
        }
    }

    private func takeHead(remaining: Int) {
        var head = parser.head()
        head.request.connectionID = id
        do throws(Rejection) {
            try head.check()
        } catch {
            self.head = head
            return reject(error)
        }
        head.request.isSecure = isSecure(head.request.headers)
        self.head = head
        guard server.control.quota.take(account) else { return waitForTurn() }
        begin(head, remaining: remaining)
    }

    /// What the client sends meanwhile waits too.
    private func waitForTurn() {
        phase = .queued
        readDeadlineMillis = .max
        server.control.quota.next(account) { [self] in takeTurn() }
    }

    private func takeTurn() {
        guard phase == .queued, let head else { return }
        // Nobody waits for it, as in `peerEnded`.
        if hasPeerFinished, ahead.isEmpty, server.control.endsWithClient(head.request) {
            return socket.close()
        }
        guard server.control.quota.take(account) else { return waitForTurn() }
        phase = .reading
        begin(head, remaining: ahead.count)
        // Before newer bytes come, also if the handler has not asked for its body yet.
        if bodyInput != nil { return resumeBody() }
        parseAhead()
    }

    private func begin(_ head: RequestHead, remaining: Int) {
        guard head.hasBody else { return dispatch() }
        let isStreamed = server.control.streamsBody(head.request)
        guard isStreamed || !head.isBodyTooLarge else {
            return reject(RequestParser.bodyTooLarge(server.limits.bodyBytesMax))
        }
        // Small and here already: the handler sees to whose it is.
        if !isStreamed, let count = head.bodyBytes, count <= Limits.freeBodyBytesMax,
            count <= remaining
        {
            return
        }
        admit(head.request, isStreamed: isStreamed, hasMore: remaining > 0)
    }

    private func dispatch() {
        guard let head else { return }
        guard received.isOpen || !head.hasBody || reserveFree() else { return reject(Self.noRoom) }
        var request = head.request
        if head.hasBody { request.body = parser.body() }
        parser.reset()
        start(request)
    }

    func start(_ request: Request) {
        phase = .handling
        readDeadlineMillis = .max
        requestNumber += 1
        let number = requestNumber
        let server = server
        let began = server.control.begin(request)
        // Starts here and now; a handler that does not suspend is over before the next line.
        let handler = Task.immediateDetached(executorPreference: server.loop) { [self] in
            let response = await server.handler(request)
            if server.loop.isCurrent {
                respond(response, to: number, since: began)
            } else {
                server.loop.run { self.respond(response, to: number, since: began) }
            }
        }
        if phase == .handling, requestNumber == number { task = handler }
    }

    func reject(_ rejection: Rejection) {
        respondAndClose(words(for: rejection))
    }
}
