import EventLoop

/// Opening, lending, taking back and replacing connections.
extension Pool {
    func takeIdle() -> Connection? {
        while let connection = idle.popLast() {
            // Same executor, so this is a plain read.
            if connection.assumeIsolated({ $0.isClosed }) {
                openCount -= 1
            } else {
                lent[ObjectIdentifier(connection)] = connection
                return connection
            }
        }
        return nil
    }

    func takeWaiters() -> [Waiter] {
        let taken = waiters
        waiters = []
        for waiter in taken { waiter.timer.cancel() }
        return taken
    }

    func release(_ connection: Connection) {
        lent[ObjectIdentifier(connection)] = nil
        let isFit = connection.assumeIsolated { !$0.isClosed && !$0.isInTransaction }
        if isClosed || !isFit {
            openCount -= 1
            connection.assumeIsolated { $0.close() }
            openMore()
        } else {
            lend(connection)
        }
    }

    private func lend(_ connection: Connection) {
        guard !waiters.isEmpty else {
            idle.append(connection)
            return
        }
        let waiter = waiters.removeFirst()
        waiter.timer.cancel()
        lent[ObjectIdentifier(connection)] = connection
        waiter.continuation.resume(returning: .success(connection))
    }

    /// Opens as many connections as callers wait for, within the limit and the backoff.
    func openMore() {
        guard !isClosed, !isBackingOff else { return }
        // After a failure one attempt at a time finds out whether the server is back.
        let atOnce = lastFailure == nil ? configuration.connectionsMax : 1
        while openingCount < min(waiters.count, atOnce),
            openCount + openingCount < configuration.connectionsMax
        {
            openingCount += 1
            Task { await self.openOne() }
        }
    }

    private func openOne() async {
        do throws(PostgresError) {
            let connection = try await Connection.open(configuration.connection, loop: loop)
            openingCount -= 1
            lastFailure = nil
            backoff.reset()
            guard !isClosed else {
                await connection.close()
                return
            }
            openCount += 1
            lend(connection)
            openMore()
        } catch {
            openingCount -= 1
            lastFailure = error
            backOff()
        }
    }

    private func backOff() {
        guard !isBackingOff, !isClosed else { return }
        isBackingOff = true
        loop.schedule(after: backoff.next()) { [weak self] in
            self?.assumeIsolated { pool in
                pool.isBackingOff = false
                pool.openMore()
            }
        }
    }
}
