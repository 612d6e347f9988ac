import EventLoop

extension HTTP1Connection {
    /// Starts the time for what the client owes next. Once per stage of a request: bytes that
    /// trickle in do not start it again.
    func expect(_ next: Awaiting) {
        awaiting = next
        let limits = core.limits
        let seconds =
            switch next {
            case .firstRequest, .restOfHead: limits.headTimeoutSeconds
            case .nextRequest: limits.idleTimeoutSeconds
            case .body: limits.bodyTimeoutSeconds
            case .moreOfStream: limits.streamIdleTimeoutSeconds
            }
        readDeadlineMillis = core.deadline(seconds: seconds)
    }

    func startWriteDeadline() {
        writeDeadlineMillis = core.deadline(seconds: core.limits.writeTimeoutSeconds)
    }

    /// Called every `Limits.sweepMillis`.
    func checkDeadlines(nowMillis: UInt64) {
        if writeDeadlineMillis <= nowMillis {
            // It does not read, so there is no point in telling it anything.
            socket.close()
        } else if readDeadlineMillis <= nowMillis {
            readTimeEnded()
        }
    }

    private func readTimeEnded() {
        readDeadlineMillis = .max
        switch awaiting {
        case .firstRequest, .nextRequest: finish()
        case .restOfHead:
            respondAndClose(
                core.rejection(Rejection(.headTimeout, "The header fields took too long.")))
        case .body:
            respondAndClose(core.rejection(Rejection(.bodyTimeout, "The body took too long.")))
        case .moreOfStream: bodyInput?.fail(.timedOut)
        }
    }
}
