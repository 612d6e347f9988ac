import CPostgres
import EventLoop

/// Queueing calls and giving them up.
extension Connection {
    func perform(
        _ work: Operation.Work, _ timeout: Duration?
    ) async throws(PostgresError) -> [Rows] {
        nextNumber += 1
        let id = nextNumber
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                admit(
                    Operation(id: id, work: work) { continuation.resume(returning: $0) }, timeout)
            }
        } onCancel: {
            loop.run { [weak self] in
                self?.assumeIsolated { $0.stop(id, because: .cancelled) }
            }
        }
        return try result.get()
    }

    /// As `query`, for callers on the loop who must not wait for a turn of it: sends at once when
    /// nothing else is under way, and calls back on the loop, in the middle of whatever it does.
    public func query(
        _ statement: Statement, timeout: Duration?,
        onEnd: @escaping @Sendable (Result<Rows, PostgresError>) -> Void
    ) {
        nextNumber += 1
        let operation = Operation(id: nextNumber, work: .batch([statement])) { result in
            onEnd(result.map { $0[0] })
        }
        admit(operation, timeout)
    }

    /// Checks here and not before: at every `await` the connection may have been closed, or the
    /// caller cancelled.
    private func admit(_ operation: Operation, _ timeout: Duration?) {
        if let reason = closedBecause ?? (Task.isCancelled ? .cancelled : nil) {
            operation.fail(reason)
            return
        }
        let id = operation.id
        if let timeout {
            operation.timer = loop.schedule(after: timeout) { [weak self] in
                self?.assumeIsolated { $0.stop(id, because: .timedOut) }
            }
        }
        queue.append(operation)
        startNext()
    }

    /// Gives a call up: a queued one at once, the one under way by asking the server.
    private func stop(_ id: UInt64, because reason: PostgresError) {
        if let index = queue.firstIndex(where: { $0.id == id }) {
            queue.remove(at: index).fail(reason)
        } else if let current, current.id == id, current.stopReason == nil {
            current.stopReason = reason
            current.timer?.cancel()
            current.timer = loop.schedule(after: .seconds(Limits.cancelGraceSeconds)) {
                [weak self] in
                self?.assumeIsolated {
                    $0.end(.connectionLost(detail: "the server did not answer a cancel request"))
                }
            }
            requestCancel()
        }
    }

    /// Cancelling needs a connection of its own, made with blocking calls.
    private func requestCancel() {
        guard let pointer = handle.pointer, let request = PQgetCancel(pointer) else { return }
        nonisolated(unsafe) let carried = request
        isCancelUnderWay = true
        Task { [weak self] in
            await BlockingCall.run("pg-cancel") {
                var message = [CChar](repeating: 0, count: 256)
                PQcancel(carried, &message, Int32(message.count))
                PQfreeCancel(carried)
            }
            await self?.cancelWasSent()
        }
    }

    private func cancelWasSent() {
        isCancelUnderWay = false
        startNext()
    }

    func startNext() {
        guard current == nil, !isCancelUnderWay, closedBecause == nil, !queue.isEmpty else {
            return
        }
        let operation = queue.removeFirst()
        current = operation
        let isSent =
            switch operation.work {
            case .script(let sql): send(script: sql)
            case .batch(let statements): send(statements, for: operation)
            }
        guard isSent else {
            end(.connectionLost(detail: ConnectionHandle.message(of: handle.pointer)))
            return
        }
        flush()
    }

    func finishCurrent() {
        guard let operation = current else { return }
        current = nil
        operation.finish()
        startNext()
    }
}
