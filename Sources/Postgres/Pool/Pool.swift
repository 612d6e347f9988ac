public import EventLoop
import Synchronization

/// Connections shared by many callers. Opens them when needed, up to the limit; a broken one is
/// replaced, and while the server is away callers wait up to their timeout.
///
/// An owner gets as many at a time as are left for the others: half of them, when one owner wants
/// them all. What is done for everybody has no owner and no such bound.
public actor Pool {
    struct Waiter {
        let continuation: CheckedContinuation<Result<Connection, PostgresError>, Never>
        let timer: LoopTimer
    }

    public nonisolated let configuration: PoolConfiguration
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    public nonisolated let record: ConnectionRecord

    /// The most recently used last, so that a quiet pool keeps using warm connections.
    var idle: [(connection: Connection, since: ContinuousClock.Instant)] = []
    var isWatchingIdle = false
    var lent: [ObjectIdentifier: (connection: Connection, owner: Int32?)] = [:]
    /// Of owners in what may be lent; nil owns what is done for everybody.
    var shares: FairShares<Int32?>
    var waiters = WaitingLine<Waiter>()
    /// Open connections, idle or lent, without the dedicated ones.
    var openCount = 0 { didSet { noteCount() } }
    var openingCount = 0
    var backoff = Backoff.reconnecting
    var isBackingOff = false
    var lastFailure: PostgresError?
    /// Connections outside the limit that live as long as their owner wants.
    var dedicated: [ObjectIdentifier: Connection] = [:] { didSet { noteCount() } }
    var isClosed = false
    /// In place of the configuration's; see `replaceURL`.
    let replacedURL = Lock<String?>(nil)
    /// The system's, unless a test has another.
    var startThread: OwnThread.Starter = OwnThread.start
    /// Of those who ask for a connection.
    private let lastID = Atomic<UInt64>(0)

    /// Opens nothing yet.
    /// - Parameter record: shared by all pools of a program.
    public init(
        _ configuration: PoolConfiguration, loop: EventLoop,
        record: ConnectionRecord = ConnectionRecord()
    ) {
        self.configuration = configuration
        shares = FairShares(capacity: configuration.connectionsMax)
        self.loop = loop
        self.record = record
        listenToRecord()
    }

    /// Lends a connection to `body`. One that comes back broken, inside a transaction or of no more
    /// use is closed.
    /// - Parameter owner: on whose behalf; nil for everybody's.
    public nonisolated func withConnection<R>(
        for owner: Int32? = nil, _ body: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        let connection = try await acquire(owner)
        defer { giveBack(connection) }
        return try await body(connection)
    }

    /// Runs `body` in a transaction on one connection; rolled back when it throws.
    public nonisolated func withTransaction<R>(
        _ body: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        try await withConnection { (connection) async throws(PostgresError) in
            try await connection.transaction(body)
        }
    }

    /// Runs one statement on any connection.
    public nonisolated func query(
        _ sql: String, _ parameters: [Parameter] = [], timeout: Duration? = nil
    ) async throws(PostgresError) -> Rows {
        try await withConnection { (connection) async throws(PostgresError) in
            try await connection.query(sql, parameters, timeout: timeout)
        }
    }

    /// Runs statements in one round trip; see `Connection.batch`.
    /// - Parameter owner: on whose behalf; nil for everybody's.
    public nonisolated func batch(
        _ statements: [Statement], timeout: Duration? = nil, for owner: Int32? = nil
    ) async throws(PostgresError) -> [Rows] {
        try await withConnection(for: owner) { (connection) async throws(PostgresError) in
            try await connection.batch(statements, timeout: timeout)
        }
    }

    /// A connection of the caller's own, outside the limit; closed with the pool at the latest.
    /// - Parameters:
    ///   - settings: SQL that its session begins with.
    ///   - hasHeartbeat: the server ends it soon after this process has stood still: see
    ///     `Connection.beginHeartbeat`.
    ///   - callTimeoutSeconds: for what takes longer than most; nil for the configuration's.
    public func openDedicated(
        beginningWith settings: String = "", hasHeartbeat: Bool = false,
        callTimeoutSeconds: Double? = nil
    ) async throws(PostgresError) -> Connection {
        guard !isClosed else { throw .closed }
        let connection = try await connect(callTimeoutSeconds: callTimeoutSeconds)
        do throws(PostgresError) {
            if !settings.isEmpty { try await connection.script(settings) }
            if hasHeartbeat { try await connection.beginHeartbeat() }
            try await check(connection)
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

    /// Closes every connection; calls under way and waiting callers fail with `closed`.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        for waiter in takeWaiters() { waiter.continuation.resume(returning: .failure(.closed)) }
        let connections = idle.map(\.connection) + inUse
        idle = []
        for connection in connections { await connection.close() }
    }

    /// Not as the actor's, as `Connection.perform` says.
    private nonisolated func acquire(_ owner: Int32?) async throws(PostgresError) -> Connection {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let result: Result<Connection, PostgresError> = await loop.answer(
            orIfCancelled: .failure(.cancelled)
        ) { continuation in
            self.assumeIsolated { $0.admit(id, owner, continuation) }
        } onCancel: { [weak self] in
            self?.assumeIsolated { $0.giveUp(id, of: owner, timedOut: false) }
        }
        return try result.get()
    }

    private nonisolated func giveBack(_ connection: Connection) {
        loop.runAtOnce { self.assumeIsolated { $0.release(connection) } }
    }

    /// Everything in one go: at every `await` before, another caller may have come in between.
    private func admit(
        _ id: UInt64, _ owner: Int32?,
        _ continuation: CheckedContinuation<Result<Connection, PostgresError>, Never>
    ) {
        if isClosed {
            continuation.resume(returning: .failure(.closed))
        } else if mayHaveMore(owner), let connection = takeIdle(for: owner) {
            continuation.resume(returning: .success(connection))
        } else if isFull(for: owner) {
            continuation.resume(returning: .failure(.poolQueueFull))
        } else {
            let patience = Duration.seconds(configuration.acquireTimeoutSeconds)
            let timer = loop.schedule(after: patience) { [weak self] in
                self?.assumeIsolated { $0.giveUp(id, of: owner, timedOut: true) }
            }
            waiters.append(
                Waiter(continuation: continuation, timer: timer), id: id, of: owner)
            openMore()
        }
    }

    /// As with connections: each owner may have as many callers waiting as are left for others.
    private func isFull(for owner: Int32?) -> Bool {
        let left = configuration.waitersMax - waiters.count
        return left <= 0 || (owner != nil && waiters.count(of: owner) >= left)
    }

    private func giveUp(_ id: UInt64, of owner: Int32?, timedOut: Bool) {
        guard let waiter = waiters.remove(id, of: owner) else { return }
        waiter.timer.cancel()
        let error: PostgresError = timedOut ? patienceError(of: owner) : .cancelled
        waiter.continuation.resume(returning: .failure(error))
    }

    private func patienceError(of owner: Int32?) -> PostgresError {
        let most = configuration.connectionsMax
        return switch lastFailure {
        case .cannotConnect(let detail): .poolTimedOut(detail: detail)
        case .notAdmitted(let serverError): .notAdmitted(serverError)
        case _ where openingCount > 0: .poolTimedOut(detail: "still connecting")
        case _ where lent.count < most && !mayHaveMore(owner):
            .poolTimedOut(detail: "the tenant's share of the \(most) connections is in use")
        default: .poolTimedOut(detail: "all \(most) connections are in use")
        }
    }
}
