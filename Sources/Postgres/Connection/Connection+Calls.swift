import CPostgres
import EventLoop

/// Queueing calls and giving them up.
extension Connection {
    /// Not as the actor's: a caller that is on its loop already would queue up for it twice, on the
    /// way in and on the way back.
    nonisolated func perform(
        _ work: Operation.Work, _ timeout: Duration?
    ) async throws(PostgresError) -> [Rows] {
        let id = nextNumber()
        let result: Result<[Rows], PostgresError> = await loop.answer(
            orIfCancelled: .failure(.cancelled)
        ) { continuation in
            self.assumeIsolated {
                $0.admit(
                    Operation(id: id, work: work) { continuation.resume(returning: $0) }, timeout)
            }
        } onCancel: { [weak self] in
            self?.assumeIsolated { $0.stop(id, because: .cancelled) }
        }
        return try result.get()
    }

    /// As `batch`, for callers on the loop who must not wait for an iteration of it: sends at once
    /// when nothing else is under way, and calls back on the loop, in the middle of whatever it
    /// does.
    public func batch(
        _ statements: [Statement], timeout: Duration? = nil,
        onEnd: @escaping @Sendable (Result<[Rows], PostgresError>) -> Void
    ) {
        admit(Operation(id: nextNumber(), work: .batch(statements), onEnd: onEnd), timeout)
    }

    private func admit(_ operation: Operation, _ timeout: Duration?) {
        if let closedBecause { return operation.fail(closedBecause) }
        let id = operation.id
        operation.timer = loop.schedule(after: timeout ?? callTimeout) { [weak self] in
            self?.assumeIsolated { $0.stop(id, because: .timedOut) }
        }
        queue.append(operation)
        startNext()
    }

    /// Gives a call up: a queued one at once, the one that the server is at by asking the server.
    /// One that was sent ahead of its turn has to wait for that.
    private func stop(_ id: UInt64, because reason: PostgresError) {
        if reason == .timedOut { record.noteTimeout() }
        if let index = queue.firstIndex(where: { $0.id == id }) {
            queue.remove(at: index).fail(reason)
        } else if let operation = sent.first(where: { $0.id == id }), operation.stopReason == nil {
            operation.stopReason = reason
            operation.timer?.cancel()
            stopFirstIfAsked()
        }
    }

    private func stopFirstIfAsked() {
        guard let first = sent.first, first.stopReason != nil, !first.isCancelRequested else {
            return
        }
        first.isCancelRequested = true
        first.timer = loop.schedule(after: cancelGrace) { [weak self] in
            self?.assumeIsolated { $0.endForSilence() }
        }
        requestCancel()
    }

    private func endForSilence() {
        guard closedBecause == nil else { return }
        // First, so that callers know of it as soon as they get the error.
        record.noteSilence(of: server)
        end(.connectionLost(detail: "the server did not answer a cancel request"))
    }

    /// Another connection's server did not answer any more, and it is this one's. A call that has
    /// waited for as long as that one did is not left to its whole patience; where none is under
    /// way, one is made that finds out.
    func suspect() {
        guard closedBecause == nil else { return }
        guard sent.isEmpty else {
            if ContinuousClock.now - lastHeardAt > .seconds(Limits.heartbeatTimeoutSeconds) {
                end(Self.answersNobody)
            }
            return
        }
        guard queue.isEmpty else { return }
        batch(
            [Statement("SELECT 1")], timeout: .seconds(Limits.heartbeatTimeoutSeconds)
        ) { _ in }
        let askedAt = lastHeardAt
        loop.schedule(after: .seconds(Limits.probeSeconds)) { [weak self] in
            self?.assumeIsolated { connection in
                guard connection.lastHeardAt == askedAt, !connection.sent.isEmpty else { return }
                connection.end(Self.answersNobody)
            }
        }
    }

    private static let answersNobody = PostgresError.connectionLost(
        detail: "the server no longer answers anybody")

    /// Cancelling needs a connection of its own, made with blocking calls.
    private func requestCancel() {
        guard let pointer = handle.pointer, let request = PQgetCancel(pointer) else { return }
        nonisolated(unsafe) let carried = request
        let number = nextNumber()
        cancelsUnderWay[number] = loop.schedule(after: cancelGrace) { [weak self] in
            self?.assumeIsolated { $0.endForSilence() }
        }
        Task { [weak self, startThread] in
            // Without a thread nothing is asked, and the grace ends the connection.
            try? await BlockingCall.run(
                "pg-cancel", orElse: PostgresError.cannotConnect, startingBy: startThread
            ) {
                var message = [CChar](repeating: 0, count: 256)
                PQcancel(carried, &message, Int32(message.count))
            }
            PQfreeCancel(carried)
            await self?.cancelWasSent(number)
        }
    }

    private func cancelWasSent(_ number: UInt64) {
        cancelsUnderWay.removeValue(forKey: number)?.cancel()
        startNext()
    }

    func startNext() {
        while let next = queue.first, canSend(next) {
            queue.removeFirst()
            if sent.isEmpty { lastHeardAt = .now }
            sent.append(next)
            guard send(next) else {
                end(.connectionLost(detail: ConnectionHandle.message(of: handle.pointer)))
                return
            }
            flush()
        }
    }

    private func canSend(_ operation: Operation) -> Bool {
        guard cancelsUnderWay.isEmpty, closedBecause == nil, unfitBecause == nil else {
            return false
        }
        guard let last = sent.last else { return true }
        // A script needs the connection for itself.
        guard case .batch = operation.work, case .batch = last.work else { return false }
        return sent.count < Limits.sentCallsMax
    }

    private func send(_ operation: Operation) -> Bool {
        switch operation.work {
        case .script(let sql): send(script: sql)
        case .batch(let statements): send(statements, for: operation)
        }
    }

    func finishFirst() {
        let operation = sent.removeFirst()
        if handle.takeCommittedAlone() {
            operation.error = operation.error ?? .notReplicated
            record.noteNotReplicated()
        }
        // First, so that the caller goes on with another session.
        endIfUnfit()
        operation.finish()
        stopFirstIfAsked()
        startNext()
    }
}
