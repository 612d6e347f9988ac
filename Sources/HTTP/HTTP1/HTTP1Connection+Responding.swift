import EventLoop

extension HTTP1Connection {
    /// The handler's answer. Ignored when the client is gone.
    func respond(
        _ response: Response, to number: Int, since began: ContinuousClock.Instant?
    ) {
        let duration = began.map { ContinuousClock.now - $0 }
        let sent = pace(response, to: number)
        if let duration {
            server.control.observer?.answered(
                status: sent.status, isOfTenant: sent.isOfTenant, after: duration)
        }
    }

    /// - Returns: what goes out, or would if the client were still there.
    private func pace(_ response: Response, to number: Int) -> Response {
        guard phase == .handling, number == requestNumber,
            RefusalPace.isRefusal(status: response.status)
        else { return send(response, to: number) }
        // A body that has been refused takes no room from others while the answer waits.
        if bodyInput == nil { dropBody() }
        afterRefusalDelay { $0.send(response, to: number) }
        return response
    }

    @discardableResult
    private func send(_ response: Response, to number: Int) -> Response {
        guard phase == .handling, number == requestNumber, let head else { return response }
        task = nil
        let isReserved = head.isHead || reserve(response)
        let response = isReserved ? response : words(for: .noRoomForAnswer(to: head.request.method))
        // The rest of a body that nobody reads looks like the next request.
        let isBodyLeft = bodyInput != nil
        bodyInput?.fail(.cutShort)
        bodyInput = nil
        let canStay =
            head.keepsAlive && !server.isDraining && !isBodyLeft && isReserved
            && !ResponseWriter.asksToClose(response)
        let stays: ResponseWriter.Persistence =
            canStay ? (head.isHTTP11 ? .assumed : .keepAlive) : .close
        guard ResponseWriter.allowsBody(status: response.status) else {
            write(response, .bodiless, stays, body: [])
            answered(stays: canStay)
            return response
        }
        switch response.body {
        case .bytes(let body):
            write(response, .length(body.count), stays, body: head.isHead ? [] : body)
            answered(stays: canStay)
        case .stream(let chunks):
            let isChunked = head.isHTTP11
            write(
                response, isChunked ? .chunked : .untilClose, isChunked ? stays : .close, body: [])
            // A stream that nobody iterates ends when it is dropped.
            guard !head.isHead else {
                answered(stays: canStay && isChunked)
                break
            }
            closingBytes = response.closingBytes.map { isChunked ? $0 : [] }
            pump(chunks, isChunked: isChunked, stays: canStay && isChunked)
        }
        return response
    }

    /// The answer to a request that is refused here, of which the head may have been read.
    func words(for rejection: Rejection) -> Response {
        server.rejection(
            rejection, head?.request ?? Request(method: "", target: "", connectionID: id))
    }

    /// An answer to something that is no request, or a request not read to its end.
    /// - Parameter isPaced: false for a client that has been waited for already.
    func respondAndClose(_ response: Response, isPaced: Bool = true) {
        guard phase == .reading else { return }
        phase = .refusing
        readDeadlineMillis = .max
        // What has come of its body takes no room from others while the answer waits.
        dropBody()
        parser.reset()
        // What nobody reads stays with the kernel, and the client notices.
        socket.pauseReading()
        guard isPaced else { return sendAndClose(response) }
        afterRefusalDelay { $0.sendAndClose(response) }
    }

    private func sendAndClose(_ response: Response) {
        guard phase == .refusing else { return }
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        let isHead = head?.isHead ?? false
        write(response, .length(body.count), .close, body: isHead ? [] : body)
        finish()
    }

    private func afterRefusalDelay(_ work: @escaping (HTTP1Connection) -> Void) {
        let delay = server.control.refusalDelayMillis(
            askedWith: head?.request.headers ?? Headers(), on: self,
            nowMillis: server.loop.nowMillis)
        guard delay > 0 else { return work(self) }
        server.loop.schedule(after: .milliseconds(delay)) { [weak self] in
            if let self { work(self) }
        }
    }

    private func write(
        _ response: Response, _ framing: ResponseWriter.Framing,
        _ persistence: ResponseWriter.Persistence, body: [UInt8]
    ) {
        let date = server.date.now()
        let fits = body.count <= socketRoom
        socket.write { output in
            ResponseWriter.appendHead(response, framing, persistence, date: date, to: &output)
            if fits { output.append(contentsOf: body) }
        }
        if !fits { keepBack(body) }
    }

    // MARK: What waits

    private var socketRoom: Int { max(0, server.limits.unsentBytesMax - socket.unsentBytes) }

    /// Counts a body that has to wait, unless it is one that is there anyway, or a refusal, which
    /// is as small as what would be sent instead of it.
    private func reserve(_ response: Response) -> Bool {
        guard case .bytes(let body) = response.body, body.count > socketRoom, !response.isShared,
            !RefusalPace.isRefusal(status: response.status),
            ResponseWriter.allowsBody(status: response.status)
        else { return true }
        return reserveRest(body.count)
    }

    private func reserveRest(_ count: Int) -> Bool {
        server.control.reserve(
            count, &waiting, askedWith: head?.request.headers ?? Headers(), on: self)
    }

    /// For what the socket has no room for: it gets one piece after the other, as the client takes
    /// them, and only they are copied.
    private func keepBack(_ bytes: [UInt8]) {
        rest.append(bytes)
        feed()
    }

    private func feed() {
        guard !rest.isEmpty else { return }
        let count = socketRoom
        socket.write { rest.move(count, to: &$0) }
        guard rest.isEmpty else { return }
        waiting.end()
        switch phase {
        case .reading: expect(.nextRequest)
        case .closing: socket.shutdownThenClose()
        case .queued, .admitting, .handling, .streaming, .refusing, .closed: break
        }
    }

    private func answered(stays: Bool) {
        dropBody()
        head = nil
        task = nil
        guard stays, !server.isDraining else { return finish() }
        phase = .reading
        expect(.nextRequest)
        // The time for it begins when the socket has all of this answer: what was asked ahead waits
        // for that, however slowly the client reads.
        if !rest.isEmpty { readDeadlineMillis = .max }
        // Inside `parse` the loop there goes on.
        if !isParsing { parseAhead() }
    }

    // MARK: Streams

    private func pump(_ chunks: AsyncStream<[UInt8]>, isChunked: Bool, stays: Bool) {
        phase = .streaming
        // Before the answer or after it, the end of its client's half says the same of a stream.
        if hasPeerFinished { return socket.close() }
        let number = requestNumber
        let pump = Task.immediateDetached(executorPreference: server.loop) { [self] in
            for await chunk in chunks {
                guard phase == .streaming else { return }
                guard !chunk.isEmpty else { continue }
                send(chunk, isChunked: isChunked)
                await room()
            }
            endStream(number, isChunked: isChunked, stays: stays)
        }
        guard phase == .streaming, requestNumber == number else { return }
        task = pump
        if server.isDraining { drain() }
    }

    /// Says what an event stream ends with, and ends it.
    func sendReplacementEnd() {
        guard let closingBytes else { return }
        self.closingBytes = []
        if !closingBytes.isEmpty { send(closingBytes, isChunked: true) }
        task?.cancel()
    }

    private func send(_ chunk: [UInt8], isChunked: Bool) {
        var bytes = chunk
        if isChunked {
            bytes = []
            ResponseWriter.appendChunk(chunk, to: &bytes)
        }
        put(bytes)
        // The answer has begun, so that nothing can be said; its client comes back.
        if !rest.isEmpty, !reserveRest(rest.count) { socket.close() }
    }

    private func put(_ bytes: [UInt8]) {
        if rest.isEmpty, bytes.count <= socketRoom { socket.write(bytes) } else { keepBack(bytes) }
    }

    /// Returns when the client has taken enough of what was sent.
    private func room() async {
        await withCheckedContinuation { waiter in
            // Here and not before: at every `await` the client may have taken it or be gone.
            if phase == .streaming, isClogged {
                roomWaiter = waiter
            } else {
                waiter.resume()
            }
        }
    }

    private func endStream(_ number: Int, isChunked: Bool, stays: Bool) {
        guard phase == .streaming, number == requestNumber else { return }
        if isChunked { put(ResponseWriter.lastChunk) }
        answered(stays: stays)
    }

    func resumeRoomWaiter() {
        roomWaiter?.resume()
        roomWaiter = nil
    }

    /// Everything written is with the kernel.
    func drained() {
        guard rest.isEmpty else {
            // In another iteration: a client that reads quickly does not make others wait.
            return server.loop.run { self.feed() }
        }
        resumeRoomWaiter()
        parseAhead()
    }
}
