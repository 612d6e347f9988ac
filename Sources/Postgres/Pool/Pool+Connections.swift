import EventLoop

/// Opening, lending, taking back and replacing connections.
extension Pool {
    /// Whether an owner may have one more connection than it has.
    func mayHaveMore(_ owner: Int32?) -> Bool {
        owner == nil || shares.admit(1, of: owner)
    }

    func takeIdle(for owner: Int32?) -> Connection? {
        while let connection = idle.popLast()?.connection {
            // Same executor, so this is a plain read.
            if connection.assumeIsolated({ $0.isClosed }) {
                openCount -= 1
            } else {
                lent[ObjectIdentifier(connection)] = (connection, owner)
                shares.take(1, of: owner)
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
        if let loan = lent.removeValue(forKey: ObjectIdentifier(connection)) {
            shares.giveBack(1, of: loan.owner)
        }
        let isFit = connection.assumeIsolated { !$0.isClosed && !$0.isInTransaction }
        if isClosed || !isFit {
            openCount -= 1
            connection.assumeIsolated { $0.close() }
            // Those that lie beside it would each cost somebody a call to be found out.
            if connection.assumeIsolated({ $0.wasUnfit }) { dropIdle(of: connection.server) }
            lend()
            openMore()
        } else {
            keepIdle(connection)
            lend()
        }
    }

    private func keepIdle(_ connection: Connection) {
        idle.append((connection, .now))
        watchIdle()
    }

    /// Gives back what nobody has used for a while.
    private func watchIdle() {
        guard !isWatchingIdle, !isClosed, idle.count > Limits.idleConnectionsMin else { return }
        isWatchingIdle = true
        loop.schedule(after: .seconds(Limits.idleWatchSeconds)) { [weak self] in
            self?.assumeIsolated { pool in
                pool.isWatchingIdle = false
                pool.giveBackIdle(before: .now - .seconds(Limits.idleSecondsMax))
                pool.watchIdle()
            }
        }
    }

    /// Ends idle connections that were last used before then, but for a few.
    func giveBackIdle(before due: ContinuousClock.Instant) {
        while idle.count > Limits.idleConnectionsMin, let first = idle.first, first.since < due {
            idle.removeFirst()
            openCount -= 1
            first.connection.assumeIsolated { $0.close() }
        }
    }

    /// A server was given up that did not answer. Each of its idle connections would cost the next
    /// caller the whole patience of a call, and those that wait for something to happen would never
    /// know.
    private func suspect(_ server: String) {
        dropIdle(of: server)
        for connection in inUse where connection.server == server {
            connection.assumeIsolated { $0.suspect() }
        }
    }

    /// Lent, or an owner's own.
    var inUse: [Connection] { Array(dedicated.values) + lent.values.map(\.connection) }

    private func dropIdle(of server: String) { dropIdle { $0.server == server } }

    private func dropIdle(where isDropped: (Connection) -> Bool) {
        let dropped = idle.map(\.connection).filter(isDropped)
        idle.removeAll { isDropped($0.connection) }
        openCount -= dropped.count
        for connection in dropped { connection.assumeIsolated { $0.close() } }
    }

    /// Another server has a newer timeline: what the older ones of its cluster acknowledge from now
    /// on is lost.
    private func leaveOlder(than newest: WritableServer) {
        func isOlder(_ connection: Connection) -> Bool {
            connection.writable?.isOlder(than: newest) == true
        }
        dropIdle(where: isOlder)
        for connection in inUse where isOlder(connection) {
            connection.assumeIsolated { connection in
                connection.end(
                    .connectionLost(
                        detail: "\(connection.server) is an old primary: \(newest.name) has a "
                            + "newer timeline"))
            }
        }
    }

    /// What its connections do now, and who waits for one.
    public var load: (idle: Int, lent: Int, waiting: Int) {
        (idle.count, lent.count + dedicated.count, waiters.count)
    }

    func noteCount() { record.note(openCount + dedicated.count, openIn: configuration.name) }

    func connect(
        callTimeoutSeconds: Double? = nil
    ) async throws(PostgresError) -> Connection {
        var wanted = connectionConfiguration
        if let callTimeoutSeconds { wanted.callTimeoutSeconds = callTimeoutSeconds }
        do throws(PostgresError) {
            let connection = try await Connection.open(
                wanted, loop: loop, record: record, startThread: startThread)
            try await check(connection)
            return connection
        } catch {
            if !isClosed {
                record.noteFailure(error)
                record.noteFailure(openingIn: configuration.name)
            }
            throw error
        }
    }

    /// Closes one whose server has turned out to be an old primary before it was the pool's own.
    func check(_ connection: Connection) async throws(PostgresError) {
        guard let refusal = record.admit(connection.writable) else { return }
        await connection.close()
        throw refusal
    }

    nonisolated func listenToRecord() {
        record.onSilence { [weak self] server in
            guard let pool = self else { return }
            pool.loop.run { pool.assumeIsolated { $0.suspect(server) } }
        }
        record.onNewest { [weak self] newest in
            guard let pool = self else { return }
            pool.loop.run { pool.assumeIsolated { $0.leaveOlder(than: newest) } }
        }
    }

    /// Asks each server of the connection string whether it takes writes.
    /// - Returns: those that do, the one with the newest timeline first; none where the string
    ///   names one server only.
    public func writableServers() async throws(PostgresError) -> [WritableServer] {
        let dial = try Dial(connectionConfiguration, record)
        let servers = ServerAddress.all(dial.options)
        guard servers.count > 1 else {
            record.forgetWritable()
            return []
        }
        return try await BlockingCall.run(
            "pg-hosts", orElse: PostgresError.cannotConnect, startingBy: startThread
        ) { () throws(PostgresError) in dial.writable(among: servers) }
    }

    /// Lends what is idle to callers that wait and may have it.
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
            let connection = try await connect()
            openingCount -= 1
            lastFailure = nil
            backoff.succeeded()
            guard !isClosed else {
                await connection.close()
                return
            }
            openCount += 1
            keepIdle(connection)
            lend()
            openMore()
        } catch {
            openingCount -= 1
            lastFailure = error
            // Waiting longer would not help.
            if !error.isTransient {
                for waiter in takeWaiters() {
                    waiter.continuation.resume(returning: .failure(error))
                }
            }
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

extension PostgresError {
    /// The reason alone, where connecting has failed.
    var connectingDetail: String {
        switch self {
        case .cannotConnect(let detail): detail
        case .notAdmitted(let serverError): serverError.message
        case .sharedSession: "a pooler shares sessions"
        default: "\(self)"
        }
    }
}
