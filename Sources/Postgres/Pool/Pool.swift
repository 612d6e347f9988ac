public import EventLoop

/// Connections shared by many callers. Opens them when needed, up to the limit; a broken one is
/// replaced, and while the server is away callers wait up to their timeout.
public actor Pool {
    struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Result<Connection, PostgresError>, Never>
        let timer: LoopTimer
    }

    public nonisolated let configuration: PoolConfiguration
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// The most recently used last, so that a quiet pool keeps using warm connections.
    var idle: [Connection] = []
    var lent: [ObjectIdentifier: Connection] = [:]
    var waiters: [Waiter] = []
    /// Open connections, idle or lent, without the dedicated ones.
    var openCount = 0
    var openingCount = 0
    var backoff = Backoff()
    var isBackingOff = false
    var lastFailure: PostgresError?
    /// Connections outside the limit that live as long as their owner wants.
    var dedicated: [ObjectIdentifier: Connection] = [:]
    var isClosed = false
    private var nextWaiterID: UInt64 = 0

    /// Opens nothing yet.
    public init(_ configuration: PoolConfiguration, loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
    }

    /// Lends a connection to `body`. One that comes back broken or inside a transaction is
    /// closed.
    public nonisolated(nonsending) func withConnection<R>(
        _ body: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        let connection = try await acquire()
        do throws(PostgresError) {
            let result = try await body(connection)
            await release(connection)
            return result
        } catch {
            await release(connection)
            throw error
        }
    }

    /// Runs `body` in a transaction on one connection; rolled back when it throws.
    public nonisolated(nonsending) func withTransaction<R>(
        _ body: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        try await withConnection { (connection) async throws(PostgresError) in
            try await connection.transaction(body)
        }
    }

    /// Runs one statement on any connection.
    public func query(
        _ sql: String, _ parameters: [Parameter] = [], timeout: Duration? = nil
    ) async throws(PostgresError) -> Rows {
        try await withConnection { (connection) async throws(PostgresError) in
            try await connection.query(sql, parameters, timeout: timeout)
        }
    }

    /// Runs statements in one round trip; see `Connection.batch`.
    public func batch(
        _ statements: [Statement], timeout: Duration? = nil
    ) async throws(PostgresError) -> [Rows] {
        try await withConnection { (connection) async throws(PostgresError) in
            try await connection.batch(statements, timeout: timeout)
        }
    }

    /// A connection of the caller's own, outside the limit; closed with the pool at the latest.
    /// - Parameter settings: SQL that its session begins with.
    public func openDedicated(
        beginningWith settings: String = ""
    ) async throws(PostgresError) -> Connection {
        guard !isClosed else { throw .closed }
        let connection = try await Connection.open(configuration.connection, loop: loop)
        do throws(PostgresError) {
            if !settings.isEmpty { try await connection.script(settings) }
            guard !isClosed else { throw .closed }
        } catch {
            await connection.close()
            throw error
        }
        let key = ObjectIdentifier(connection)
        dedicated[key] = connection
        await connection.onClose { [weak self] _ in
            self?.assumeIsolated { $0.dedicated[key] = nil }
        }
        return connection
    }

    /// Connections open right now, without the dedicated ones.
    public var connectionCount: Int { openCount }

    /// Closes every connection; calls under way and waiting callers fail with `closed`.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        for waiter in takeWaiters() { waiter.continuation.resume(returning: .failure(.closed)) }
        let connections = idle + Array(dedicated.values) + Array(lent.values)
        idle = []
        for connection in connections { await connection.close() }
    }

    private func acquire() async throws(PostgresError) -> Connection {
        nextWaiterID += 1
        let id = nextWaiterID
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                admit(id, continuation)
            }
        } onCancel: {
            loop.run { [weak self] in
                self?.assumeIsolated { $0.giveUp(id, timedOut: false) }
            }
        }
        return try result.get()
    }

    /// Everything in one go: at every `await` before, another caller may have come in between.
    private func admit(
        _ id: UInt64, _ continuation: CheckedContinuation<Result<Connection, PostgresError>, Never>
    ) {
        if isClosed {
            continuation.resume(returning: .failure(.closed))
        } else if Task.isCancelled {
            continuation.resume(returning: .failure(.cancelled))
        } else if let connection = takeIdle() {
            continuation.resume(returning: .success(connection))
        } else if waiters.count >= configuration.waitersMax {
            continuation.resume(returning: .failure(.poolQueueFull))
        } else {
            let patience = Duration.seconds(configuration.acquireTimeoutSeconds)
            let timer = loop.schedule(after: patience) { [weak self] in
                self?.assumeIsolated { $0.giveUp(id, timedOut: true) }
            }
            waiters.append(Waiter(id: id, continuation: continuation, timer: timer))
            openMore()
        }
    }

    private func giveUp(_ id: UInt64, timedOut: Bool) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        let waiter = waiters.remove(at: index)
        waiter.timer.cancel()
        let error: PostgresError = timedOut ? .poolTimedOut(detail: patienceDetail) : .cancelled
        waiter.continuation.resume(returning: .failure(error))
    }

    private var patienceDetail: String {
        if case .cannotConnect(let detail)? = lastFailure { return detail }
        if openingCount > 0 { return "still connecting" }
        return "all \(configuration.connectionsMax) connections are in use"
    }
}
