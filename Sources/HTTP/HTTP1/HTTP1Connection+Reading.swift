import EventLoop

extension HTTP1Connection {
    var aheadCount: Int { ahead.count - aheadStart }

    /// The client has yet to take too much output for another request to be answered.
    private var isClogged: Bool { socket.unsentBytes > core.limits.unsentBytesMax }

    func received(_ bytes: UnsafeRawBufferPointer) {
        if bodyInput != nil { return receivedBody(bytes) }
        var rest = bytes
        if phase == .reading, aheadCount == 0, !isClogged {
            rest = UnsafeRawBufferPointer(rebasing: bytes[parse(bytes)...])
        }
        if bodyInput != nil { return receivedBody(rest) }
        guard phase != .closing, phase != .closed else { return }
        ahead.append(contentsOf: rest)
        if aheadCount > core.limits.pipelinedBytesMax {
            isReadingPaused = true
            socket.pauseReading()
        }
    }

    /// Goes on with input that waited; called whenever an answer or the output is out of the way.
    func parseAhead() {
        guard phase == .reading, !isParsing, !isClogged else { return }
        if aheadCount > 0 {
            let input = ahead
            let used = input.withUnsafeBytes {
                parse(UnsafeRawBufferPointer(rebasing: $0[aheadStart...]))
            }
            aheadStart += used
            if aheadStart >= ahead.count { (ahead, aheadStart) = ([], 0) }
        }
        if bodyInput != nil { return resumeBody() }
        guard phase == .reading, !isClogged else { return }
        if hasPeerFinished { return finish() }
        if isReadingPaused, aheadCount <= core.limits.pipelinedBytesMax {
            isReadingPaused = false
            socket.resumeReading()
        }
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
            take(step, hasMore: offset < input.count)
        }
        return offset
    }

    private func take(_ step: RequestParser.Step, hasMore: Bool) {
        switch step {
        case .more:
            switch awaiting {
            case .firstRequest, .nextRequest: expect(.restOfHead)
            case .restOfHead, .body, .moreOfStream: break
            }
        case .head: takeHead(hasMore: hasMore)
        case .done: dispatch()
        case .rejected(let rejection): reject(rejection)
        }
    }

    private func takeHead(hasMore: Bool) {
        var head = parser.head()
        do throws(Rejection) {
            try head.check()
        } catch {
            self.head = head
            return reject(error)
        }
        self.head = head
        guard head.hasBody else { return dispatch() }
        let request = Request(
            method: head.method, target: head.target, headers: head.headers, connectionID: id)
        if core.streamsBody(request) { return handOver(request, hasMore: hasMore) }
        guard !head.isBodyTooLarge else { return reject(RequestParser.bodyTooLarge) }
        let bytes = head.bodyBytes ?? core.limits.bodyBytesMax
        guard core.holdBody(bytes) else { return reject(Self.noRoom) }
        heldBodyBytes = bytes
        expect(.body)
        if head.awaitsContinue, !hasMore { socket.write(ResponseWriter.continueLine) }
    }

    private static let noRoom = Rejection(
        .noRoomForBody, "The server holds as many bodies as it has room for; try again.")

    private func dispatch() {
        guard let head else { return }
        let request = Request(
            method: head.method, target: head.target, headers: head.headers,
            body: head.hasBody ? parser.body() : [], connectionID: id)
        parser.reset()
        start(request)
    }

    func start(_ request: Request) {
        phase = .handling
        readDeadlineMillis = .max
        requestNumber += 1
        let number = requestNumber
        let core = core
        // Starts here and now; a handler that does not suspend is over before the next line.
        let handler = Task.immediateDetached(executorPreference: core.loop) { [self] in
            let response = await core.handler(request)
            if core.loop.isCurrent {
                respond(response, to: number)
            } else {
                core.loop.run { self.respond(response, to: number) }
            }
        }
        if phase == .handling, requestNumber == number { task = handler }
    }

    private func reject(_ rejection: Rejection) {
        respondAndClose(core.rejection(rejection))
    }
}
