import EventLoop

extension HTTP1Connection {
    /// Starts the time for what the client owes next. Once per stage of a request: bytes that
    /// trickle in do not start it again.
    func expect(_ next: Awaiting) {
        awaiting = next
        let limits = server.limits
        let seconds =
            switch next {
            case .firstRequest, .restOfHead: limits.headTimeoutSeconds
            case .nextRequest: limits.idleTimeoutSeconds
            case .body: limits.bodyTimeoutSeconds
            case .moreOfStream: limits.streamIdleTimeoutSeconds
            }
        readWaitMillis = UInt64(seconds * 1_000)
        readDeadlineMillis = server.loop.nowMillis + readWaitMillis
    }

    /// Waits for a head or for the next request, with nothing left to send: can be given up for
    /// somebody else.
    var isSpare: Bool {
        guard phase == .reading, isDrained, ahead.isEmpty else { return false }
        switch awaiting {
        case .firstRequest, .restOfHead, .nextRequest: return true
        case .body, .moreOfStream: return false
        }
    }

    /// Since when the client owes what it owes.
    var waitingSinceMillis: UInt64 { readDeadlineMillis - min(readWaitMillis, readDeadlineMillis) }

    /// The order in which connections are given up: first those that have owed the end of a head
    /// for long, then those that have asked nothing for longest, and at last those that have just
    /// come.
    func spareRank(nowMillis: UInt64) -> Int {
        if awaiting == .nextRequest { return 1 }
        return waitingSinceMillis + Limits.freshHeadMillis <= nowMillis ? 0 : 2
    }

    /// Called every `Limits.sweepMillis`.
    /// - Parameter patience: what share of the waits that take a place for nothing is granted.
    func checkDeadlines(nowMillis: UInt64, patience: Double) {
        if takingTime.isOver(
            on: socket, isWaiting: !isDrained, server.limits, nowMillis: nowMillis)
        {
            // It does not read, so there is no point in telling it anything.
            server.control.observer?.gaveUpSlowReader()
            socket.close()
        } else if readDeadlineMillis <= nowMillis || isLate(nowMillis, patience) {
            readTimeEnded()
        }
    }

    private func isLate(_ nowMillis: UInt64, _ patience: Double) -> Bool {
        guard patience < 1, readDeadlineMillis != .max, isSpare else { return false }
        return waitingSinceMillis + UInt64(Double(readWaitMillis) * patience) <= nowMillis
    }

    private func readTimeEnded() {
        readDeadlineMillis = .max
        switch awaiting {
        case .firstRequest, .nextRequest: finish()
        case .restOfHead:
            timedOut(Rejection(.headTimeout, "The header fields took too long."))
        case .body: timedOut(Rejection(.bodyTimeout, "The body took too long."))
        case .moreOfStream: bodyInput?.fail(.timedOut)
        }
    }

    private func timedOut(_ rejection: Rejection) {
        respondAndClose(words(for: rejection), isPaced: false)
    }
}
