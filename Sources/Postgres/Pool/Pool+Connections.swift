import EventLoop

/// Opening, lending, taking back and replacing connections.
extension Pool {
    /// Whether an owner may have one more connection than it has.
    func mayHaveMore(_ owner: Int32?) -> Bool {
        guard let owner, let own = lentCounts[owner] else { return true }
        return own < configuration.connectionsMax - lent.count
    }

    func takeIdle(for owner: Int32?) -> Connection? {
        while let connection = idle.popLast() {
            // Same executor, so this is a plain read.
            if connection.assumeIsolated({ $0.isClosed }) {
                openCount -= 1
            } else {
                lent[ObjectIdentifier(connection)] = (connection, owner)
                if let owner { lentCounts[owner, default: 0] += 1 }
                return connection
            }
        }
        return nil
    }

    func takeWaiters() -> [Waiter] {
        let taken = waiters.takeAll()
        for waiter in taken { waiter.timer.cancel() }
        return taken
    }

    func release(_ connection: Connection) {
        if let owner = lent.removeValue(forKey: ObjectIdentifier(connection))?.owner,
            let own = lentCounts[owner]
        {
            lentCounts[owner] = own > 1 ? own - 1 : nil
        }
        let isFit = connection.assumeIsolated { !$0.isClosed && !$0.isInTransaction }
        if isClosed || !isFit {
            openCount -= 1
            connection.assumeIsolated { $0.close() }
            lend()
            openMore()
        } else {
            idle.append(connection)
            lend()
        }
    }

    /// What is idle to whoever waits and may have it.
    private func lend() {
        while let owner = waiters.nextOwner(where: mayHaveMore),
            let connection = takeIdle(for: owner), let waiter = waiters.takeNext(of: owner)
        {
            waiter.timer.cancel()
            waiter.continuation.resume(returning: .success(connection))
        }
    }

    /// Opens as many connections as callers wait for, within the limit and the backoff.
    func openMore() {
        guard !isClosed, !isBackingOff else { return }
        // After a failure one attempt at a time finds out whether the server is back.
        let atOnce = lastFailure == nil ? configuration.connectionsMax : 1
        while openingCount < min(waiters.count, atOnce),
            waiters.nextOwner(where: mayHaveMore) != nil,
            openCount + openingCount < configuration.connectionsMax
        {
            openingCount += 1
            Task { await self.openOne() }
        }
    }

    private func openOne() async {
        do throws(PostgresError) {
            let connection = try await Connection.open(connectionConfiguration, loop: loop)
            openingCount -= 1
            lastFailure = nil
            backoff.reset()
            guard !isClosed else {
                await connection.close()
                return
            }
            openCount += 1
            idle.append(connection)
            lend()
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
