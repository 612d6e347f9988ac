import EventLoop

/// Bodies that are handed over as they come.
extension HTTP1Connection {
    /// Starts the handler before the body has come.
    func handOver(_ head: RequestHead, hasMore: Bool) {
        // A client that waits for our word is given it when the handler wants the body: one that
        // is turned away then never sends it.
        var owesContinue = head.awaitsContinue && !hasMore
        let input = BodyInput(loop: server.loop) { [weak self] in
            guard let self, phase == .handling else { return }
            if owesContinue {
                owesContinue = false
                socket.write(ResponseWriter.continueLine)
            }
            expect(.moreOfStream)
            resumeBody()
        }
        bodyInput = input
        parser.streamBody()
        var request = head.request
        request.bodyStream = input.stream
        start(request)
    }

    /// Input while `bodyInput` is there to take it.
    func receivedBody(_ bytes: UnsafeRawBufferPointer) {
        let rest = feedBody(bytes)
        if !rest.isEmpty { ahead.append(rest) }
        guard let bodyInput else { return }
        if bodyInput.bufferedBytes > server.limits.streamedBytesMax {
            // Nobody waits for the client while it waits for us.
            readDeadlineMillis = .max
            socket.pauseReading()
        } else {
            expect(.moreOfStream)
        }
    }

    /// Goes on with the body: what waits is fed, and the client may send more.
    func resumeBody() {
        // The parser comes here afterwards, with what is left.
        guard !isParsing else { return }
        if !ahead.isEmpty {
            let input = ahead
            ahead.removeAll()
            input.withBytes { receivedBody($0) }
        }
        if hasPeerFinished { bodyInput?.fail(.cutShort) }
        guard let bodyInput else { return }
        if bodyInput.bufferedBytes <= server.limits.streamedBytesMax { socket.resumeReading() }
    }

    /// - Returns: what belongs to the next request.
    private func feedBody(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let (used, step) = parser.feed(bytes)
        bodyInput?.append(parser.takeBodyPart())
        switch step {
        case .more, .head: break
        case .done:
            readDeadlineMillis = .max
            parser.reset()
            let input = bodyInput
            bodyInput = nil
            input?.finish()
            return UnsafeRawBufferPointer(rebasing: bytes[used...])
        case .rejected: bodyInput?.fail(.malformed)
        }
        return UnsafeRawBufferPointer(rebasing: bytes[bytes.count...])
    }
}
