import CNGHTTP2
import EventLoop

/// Whether a body is taken, from whom, and what is reserved for it meanwhile.
extension HTTP2ServerConnection {
    /// Counts a head that is longer than most, until the answer begins.
    func reserveHead(of stream: HTTP2ServerStream) -> Bool {
        stream.headBytes <= HTTP2Limits.freeHeadBytesMax
            || server.control.reserve(
                stream.headBytes, &stream.head, askedWith: stream.request.headers, on: self)
    }

    /// Asks whose the requests are whose heads have come, before more of their bodies is taken.
    /// - Returns: false when some must wait for their turn.
    func takeHeads() -> Bool {
        var count = 0
        defer { heads.removeFirst(min(count, heads.count)) }
        for stream in heads {
            if stream.phase == .receiving, streams[stream.id] != nil {
                guard takeHead(of: stream) else { return false }
            }
            count += 1
        }
        return true
    }

    private func takeHead(of stream: HTTP2ServerStream) -> Bool {
        let isStreamed = server.control.streamsBody(stream.request)
        // Small and here already: the handler sees to whose it is.
        if !isStreamed, stream.isRequestComplete,
            stream.received.bytes <= Limits.freeBodyBytesMax
        {
            stream.admission = .admitted
            return true
        }
        guard mayBegin() else { return false }
        admit(stream, isStreamed: isStreamed)
        return true
    }

    private func admit(_ stream: HTTP2ServerStream, isStreamed: Bool) {
        guard let admission = server.control.admission else {
            return enter(stream, Admission.Terms(), isStreamed: isStreamed)
        }
        stream.admission = .asking
        var request = stream.request
        request.body = []
        let (streamID, asked) = (stream.id, request)
        let asking = Task.immediateDetached(executorPreference: server.loop) {
            let answer = await admission(asked)
            self.server.loop.runAtOnce {
                self.decided(answer, streamID, isStreamed: isStreamed)
            }
        }
        if stream.admission == .asking { stream.task = asking }
    }

    private func decided(_ admission: Admission, _ streamID: Int32, isStreamed: Bool) {
        guard let stream = streams[streamID], stream.phase == .receiving else { return }
        stream.task = nil
        switch admission {
        case .refused(let response):
            stream.admission = .refused
            sendPaced(response, on: stream)
        case .admitted(let terms): enter(stream, terms, isStreamed: isStreamed)
        }
    }

    private func enter(_ stream: HTTP2ServerStream, _ terms: Admission.Terms, isStreamed: Bool) {
        stream.admission = .admitted
        stream.dueMillis = server.due(in: server.limits.bodyTimeoutSeconds)
        let count = stream.received.bytes
        stream.received.open(
            server.control.openAccounts(askedWith: stream.request.headers, terms, from: self))
        stream.request.caller = terms.caller
        if isStreamed {
            // As much as waits for its consumer at most; no more is ever in memory.
            guard stream.received.reserve(HTTP2Limits.streamWindowBytes) else {
                return refuse(stream, HTTP1Connection.noRoom)
            }
            return handOver(stream)
        }
        stream.bodyBytesMax = min(terms.bodyBytesMax, server.limits.bodyBytesMax)
        let announced = stream.request.headers["content-length"].flatMap { Int($0) } ?? 0
        guard max(announced, count) <= stream.bodyBytesMax else {
            return refuse(stream, RequestParser.bodyTooLarge(stream.bodyBytesMax))
        }
        guard stream.received.hasRoom, stream.received.reserve(count) else {
            return refuse(stream, HTTP1Connection.noRoom)
        }
        sendContinue(stream)
        consume(stream)
        if stream.isRequestComplete { handOut(stream) }
    }

    /// Starts the handler before the body has come.
    private func handOver(_ stream: HTTP2ServerStream) {
        let streamID = stream.id
        var owesContinue = true
        let input = BodyInput(loop: server.loop) { [weak self] in
            guard let self, let stream = streams[streamID], stream.phase == .handling else {
                return
            }
            if owesContinue { sendContinue(stream) }
            owesContinue = false
            stream.dueMillis = server.due(in: server.limits.streamIdleTimeoutSeconds)
            consume(stream)
        }
        input.append(stream.request.body)
        stream.request.body = []
        stream.request.bodyStream = input.stream
        stream.dueMillis = .max
        if stream.isRequestComplete { input.finish() } else { stream.bodyInput = input }
        handOut(stream)
    }

    /// A part of a body. Inside a callback.
    func take(_ bytes: UnsafeBufferPointer<UInt8>, on stream: HTTP2ServerStream) {
        if let input = stream.bodyInput {
            stream.unconsumedBytes += bytes.count
            input.append(Array(bytes))
            // Until it is asked for more, the client need not hurry.
            stream.dueMillis =
                input.bufferedBytes > 0
                ? .max : server.due(in: server.limits.streamIdleTimeoutSeconds)
            return
        }
        guard stream.phase == .receiving else { return discard(bytes.count, of: stream) }
        if stream.admission == .refused {
            // Thrown away. The client may send more of it when it has its answer.
            return stream.unconsumedBytes += bytes.count
        }
        guard stream.request.body.count + bytes.count <= stream.bodyBytesMax else {
            return refuse(stream, RequestParser.bodyTooLarge(stream.bodyBytesMax))
        }
        // What comes before somebody has been asked is the client's address's.
        if !stream.received.isOpen { stream.received.join(own) }
        guard stream.received.reserve(stream.received.bytes + bytes.count) else {
            return refuse(stream, HTTP1Connection.noRoom)
        }
        stream.request.body.append(contentsOf: bytes)
        stream.unconsumedBytes += bytes.count
        if stream.admission == .admitted { consume(stream) }
    }

    /// There are clients that look for the answer only when they have sent everything: some of a
    /// body that nobody wants is taken and thrown away, for as long as the answer has time.
    private func discard(_ count: Int, of stream: HTTP2ServerStream) {
        session?.consume(count, on: stream.id)
        stream.discardedBytes += count
        if server.isForClients, stream.discardedBytes > HTTP2Limits.discardedBytesMax {
            session?.reset(stream: stream.id, code: .noError)
        }
    }

    /// The client has sent all of its body. Inside a callback.
    func bodyEnded(on stream: HTTP2ServerStream) {
        stream.isRequestComplete = true
        if let input = stream.bodyInput {
            stream.bodyInput = nil
            stream.dueMillis = .max
            input.finish()
        } else if stream.phase == .receiving, stream.admission != .refused {
            ready.append(stream)
        }
    }

    private func consume(_ stream: HTTP2ServerStream) {
        guard stream.unconsumedBytes > 0 else { return }
        session?.consume(stream.unconsumedBytes, on: stream.id)
        stream.unconsumedBytes = 0
        pump?.scheduleFlush()
    }

    /// To a client that waits for a word before it sends the body.
    private func sendContinue(_ stream: HTTP2ServerStream) {
        guard server.isForClients, let session, !stream.isRequestComplete,
            stream.request.headers["expect"]?.lowercased() == "100-continue"
        else { return }
        var block = HTTP2HeaderBlock()
        block.append(":status", "100")
        _ = block.withFields { fields, count in
            nghttp2_submit_headers(
                session.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, nil, fields, count,
                nil)
        }
        pump?.scheduleFlush()
    }

    /// It is answered, refused or over: its body is of no more use.
    func dropBody(of stream: HTTP2ServerStream) {
        stream.request.body = []
        stream.received.end()
        if stream.bodyInput == nil { consume(stream) }
    }

    /// It is answered or refused: its head is of no more use, once it is known who has asked.
    func dropHead(of stream: HTTP2ServerStream) {
        if isOfProxy, !stream.waiting.isOpen {
            stream.waiting.open(
                server.control.openAccounts(askedWith: stream.request.headers, from: self))
        }
        stream.dropHead()
    }
}
