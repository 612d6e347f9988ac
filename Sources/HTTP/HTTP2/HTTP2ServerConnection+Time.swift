import CNGHTTP2

extension HTTP2ServerConnection: ServerConnection {
    var isSpare: Bool { streams.isEmpty && (pump?.unsentBytes ?? 0) == 0 }

    func spareRank(nowMillis: UInt64) -> Int { 1 }

    func checkDeadlines(nowMillis now: UInt64, patience: Double) {
        guard let pump, pump.isEstablished else {
            if now > idleUntilMillis { cut() }
            return
        }
        if server.isForClients, pump.isTakingTimeOver(server.limits) {
            // It does not read, so there is no point in telling it anything.
            server.control.observer?.gaveUpSlowReader()
            return cut()
        }
        let isClogged = server.isForClients && pump.unsentBytes > 0
        if isClogged { waitForSocket() }
        for stream in Array(streams.values) where stream.dueMillis < now { giveUp(stream) }
        if !streams.isEmpty || isClogged {
            waitingSinceMillis = now
            idleUntilMillis = server.due(in: server.limits.idleTimeoutSeconds)
        } else if now > idleUntilMillis || isLate(now, patience) {
            leave()
        }
    }

    /// No stream goes on while the socket has no room, and that is not for the stream's client to
    /// change: the connection has its own time.
    private func waitForSocket() {
        for stream in streams.values where stream.phase == .answering && !stream.isDeferred {
            touch(stream)
        }
    }

    private func isLate(_ now: UInt64, _ patience: Double) -> Bool {
        let wait = server.limits.idleTimeoutSeconds * 1_000 * patience
        return patience < 1 && isSpare && !isLeaving && waitingSinceMillis + UInt64(wait) <= now
    }

    private func giveUp(_ stream: HTTP2ServerStream) {
        switch stream.phase {
        case .receiving:
            switch stream.admission {
            // It is the server that is waited for.
            case .asking, .refused: break
            case .undecided, .admitted:
                refuse(stream, Rejection(.bodyTimeout, "The request did not come to its end."))
            }
        case .handling:
            stream.dueMillis = .max
            stream.bodyInput?.fail(.timedOut)
        case .answering:
            server.control.observer?.gaveUpSlowReader()
            session?.reset(stream: stream.id, code: .cancel)
            pump?.scheduleFlush()
        }
    }

    /// Asked first, then made sure of: a peer that keeps its side open must not stay.
    private func leave() {
        if isLeaving { return cut() }
        isLeaving = true
        idleUntilMillis = server.due(in: Double(HTTP2Limits.goodbyeSecondsMax))
        goAway()
    }

    // MARK: The end

    /// What it sends before it has read that is still answered.
    func announceEnd() {
        guard let session else { return }
        nghttp2_submit_shutdown_notice(session.pointer)
        pump?.scheduleFlush()
    }

    func drain() {
        for stream in Array(streams.values) {
            switch stream.phase {
            case .answering: sendReplacementEnd(on: stream)
            case .handling:
                // An upload of any length would not be over in time; its handler can still answer.
                stream.bodyInput?.fail(.serverStopping)
            case .receiving: break
            }
        }
        goAway()
    }

    func endWait() {
        for stream in streams.values
        where stream.phase == .handling && stream.request.method == "GET" {
            stream.task?.cancel()
        }
    }

    func cut() { pump?.abort(.connectionClosed) }
}
