import EventLoop

/// Whether a body is taken, from whom, and what is reserved for it meanwhile.
extension HTTP1Connection {
    static let noRoom = Rejection(
        .noRoomForBody, "The server has as many bodies as it has room for; try again.")

    /// Asks whose the request is before more of its body is read. Nothing is read meanwhile, so
    /// that a stranger's body costs what one read brought at most.
    func admit(_ request: Request, isStreamed: Bool, hasMore: Bool) {
        guard let admission = server.control.admission else {
            return enter(Admission.Terms(), isStreamed: isStreamed, hasMore: hasMore)
        }
        phase = .admitting
        readDeadlineMillis = .max
        requestNumber += 1
        let number = requestNumber
        let server = server
        // As with a handler: one that does not suspend is over before the next line.
        let asking = Task.immediateDetached(executorPreference: server.loop) { [self] in
            let answer = await admission(request)
            server.loop.runAtOnce {
                self.decided(answer, number, isStreamed: isStreamed, hasMore: hasMore)
            }
        }
        guard phase == .admitting, requestNumber == number else { return }
        task = asking
        socket.pauseReading()
    }

    private func decided(
        _ admission: Admission, _ number: Int, isStreamed: Bool, hasMore: Bool
    ) {
        guard phase == .admitting, number == requestNumber else { return }
        task = nil
        phase = .reading
        switch admission {
        case .refused(let response): return respondAndClose(response)
        case .admitted(let terms):
            // What waits while a request is being taken in is its own.
            let hasMore = hasMore || (!isParsing && !ahead.isEmpty)
            enter(terms, isStreamed: isStreamed, hasMore: hasMore)
        }
        // Inside `parse` the loop there goes on.
        if !isParsing { parseAhead() }
    }

    private func enter(_ terms: Admission.Terms, isStreamed: Bool, hasMore: Bool) {
        guard var head else { return }
        head.request.caller = terms.caller
        self.head = head
        received.open(
            server.control.openAccounts(askedWith: head.request.headers, terms, from: self))
        if isStreamed {
            // As much as waits for its consumer at most; no more is ever in memory.
            guard received.reserve(server.limits.streamedBytesMax) else {
                return reject(Self.noRoom)
            }
            return handOver(head, hasMore: hasMore)
        }
        let bytesMax = min(terms.bodyBytesMax, server.limits.bodyBytesMax)
        guard head.bodyBytes ?? 0 <= bytesMax else {
            return reject(RequestParser.bodyTooLarge(bytesMax))
        }
        // A client is not asked for a body that would be refused.
        guard received.hasRoom else { return reject(Self.noRoom) }
        parser.limitBody(to: bytesMax)
        expect(.body)
        if head.awaitsContinue, !hasMore { socket.write(ResponseWriter.continueLine) }
    }

    // MARK: What is reserved

    /// Counts what has come of the body.
    func reserveReceived() -> Bool {
        parser.bodyCount <= received.bytes || received.reserve(parser.bodyCount)
    }

    /// A small body that came with its head is the client's address's.
    func reserveFree() -> Bool {
        if !isOfProxy { received.join(own) }
        return received.reserve(parser.bodyCount)
    }

    func dropBody() { received.end() }
}
