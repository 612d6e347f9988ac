public import EventLoop
import CPostgres
import Synchronization

/// One session with the server. Calls are carried out in order, one at a time; each is one round
/// trip, and the next may be sent before the last one is answered. A connection that broke stays
/// broken: get another one.
public actor Connection {
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    /// Of one that was given a heartbeat.
    public nonisolated let heartbeat = SessionHeartbeat()
    let handle: ConnectionHandle
    let record: ConnectionRecord
    let startThread: OwnThread.Starter
    /// For calls that do not say how long they may take.
    let callTimeout: Duration
    /// For the answer to a cancel request.
    let cancelGrace: Duration
    /// Refusing what would change anything is what it is for.
    let isReadOnly: Bool
    let openedAt = ContinuousClock.now
    var watch: DescriptorWatch?
    var isWatchingWrites = false
    /// Why no further call is possible; nil while open.
    var closedBecause: PostgresError?
    /// What the server has said that shows that the session is of no more use: see `endIfUnfit`.
    var unfitBecause: ServerError?
    var queue: [Operation] = []
    /// When bytes came last, or the first call was sent that nothing has come for.
    var lastHeardAt = ContinuousClock.now
    /// Sent and not yet answered, the one that the server is at first.
    var sent: [Operation] = []
    /// While cancel requests are on their way nothing new is sent: one could hit the wrong
    /// statement. Their threads may hang for as long as the server does, and are not waited for
    /// beyond the grace.
    var cancelsUnderWay: [UInt64: LoopTimer] = [:]
    /// Those that are asked for often in front.
    var prepared: [PreparedStatement] = []
    /// Begins these names, so that where a pooler shares sessions, which it may begin to do at any
    /// time, none stands for another client's statement.
    let preparedPrefix = "s" + String(UInt32.random(in: .min ... .max), radix: 36) + "_"
    /// Of calls, of requests to cancel them, and of what is prepared.
    private let lastNumber = Atomic<UInt64>(0)
    private var onNotification: (@Sendable (_ payload: String) -> Void)?
    private var onClose: [@Sendable (PostgresError) -> Void] = []

    private init(
        handle: ConnectionHandle, loop: EventLoop, _ configuration: ConnectionConfiguration,
        record: ConnectionRecord, startThread: @escaping OwnThread.Starter
    ) {
        self.handle = handle
        self.loop = loop
        callTimeout = .seconds(configuration.callTimeoutSeconds)
        cancelGrace = .seconds(configuration.cancelGraceSeconds)
        isReadOnly = configuration.isReadOnly
        self.record = record
        self.startThread = startThread
    }

    isolated deinit { close() }

    /// Connects, on a thread made for it; the caller's executor is not left otherwise.
    /// - Parameters:
    ///   - record: notes what becomes of it.
    ///   - startThread: makes the threads of calls that block.
    package static func open(
        _ configuration: ConnectionConfiguration, loop: EventLoop,
        record: ConnectionRecord = ConnectionRecord(),
        startThread: @escaping OwnThread.Starter = OwnThread.start
    ) async throws(PostgresError) -> Connection {
        let handle = try await BlockingCall.run(
            "pg-connect", orElse: PostgresError.cannotConnect, startingBy: startThread
        ) { () throws(PostgresError) in
            try ConnectionHandle.open(configuration, record)
        }
        let connection = Connection(
            handle: handle, loop: loop, configuration, record: record, startThread: startThread)
        try await connection.startWatching()
        return connection
    }

    /// Host and port of the server, as they stand in the connection string.
    public nonisolated var server: String { handle.serverListed }

    /// What it is; nil for one that takes no writes, or that does not say which cluster it is of.
    nonisolated var writable: WritableServer? { handle.writable }

    /// The process of the server that answered when the session began.
    public nonisolated var backendPID: Int32 { handle.backendPID }

    /// Whether the process that answers is not the one that was named when connecting: a pooler
    /// stands in between. The session is this client's own anyway, or it would not be open.
    public var isBehindPooler: Bool {
        handle.pointer.map { PQbackendPID($0) != handle.backendPID } ?? false
    }

    /// True when no further call will succeed.
    public var isClosed: Bool { closedBecause != nil }

    /// True between BEGIN and the end of the transaction, a failed one included.
    public var isInTransaction: Bool {
        guard let pointer = handle.pointer else { return false }
        return PQtransactionStatus(pointer) != PQTRANS_IDLE
    }

    /// Runs one statement.
    /// - Parameter timeout: after it the statement is cancelled and `timedOut` thrown; when the
    ///   server does not answer that either, `connectionLost`. Nil for the configuration's.
    public nonisolated func query(
        _ sql: String, _ parameters: [Parameter] = [], timeout: Duration? = nil
    ) async throws(PostgresError) -> Rows {
        let results = try await batch([Statement(sql, parameters)], timeout: timeout)
        precondition(results.count == 1, "one statement, \(results.count) results")
        return results[0]
    }

    nonisolated func nextNumber() -> UInt64 {
        lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Runs statements in one round trip. Without BEGIN or COMMIT among them all or none take
    /// effect; the first error is thrown and what follows it is skipped.
    public nonisolated func batch(
        _ statements: [Statement], timeout: Duration? = nil
    ) async throws(PostgresError) -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try await perform(.batch(statements), timeout)
    }

    /// Runs fixed SQL without parameters, several statements allowed; rows are dropped.
    public nonisolated func script(
        _ sql: String, timeout: Duration? = nil
    ) async throws(PostgresError) {
        _ = try await perform(.script(sql), timeout)
    }

    /// Runs `body` between BEGIN and COMMIT, or ROLLBACK when it throws. When even that fails, the
    /// connection is closed, which ends the transaction too.
    public nonisolated func transaction<R>(
        _ body: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        try await script("BEGIN")
        do throws(PostgresError) {
            let result = try await body(self)
            try await script("COMMIT")
            return result
        } catch {
            await rollBack()
            throw error
        }
    }

    /// Hands it to what keeps it from now on; closed when that throws.
    public nonisolated func kept<R>(
        by keep: (Connection) async throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        do throws(PostgresError) { return try await keep(self) } catch {
            await close()
            throw error
        }
    }

    /// Calls `handler` on the loop for every `NOTIFY` that this session hears from now on.
    public func onNotification(_ handler: @escaping @Sendable (_ payload: String) -> Void) {
        onNotification = handler
    }

    /// Calls `handler` on the loop once when the connection has ended, for whatever reason. Several
    /// may ask.
    public func onClose(_ handler: @escaping @Sendable (PostgresError) -> Void) {
        if let closedBecause { handler(closedBecause) } else { onClose.append(handler) }
    }

    /// Ends the session; calls under way fail.
    public func close() { end(.closed) }

    private func rollBack() async {
        guard isInTransaction else { return }
        // Not in the caller's task: it may be cancelled, and the rollback must still happen.
        let task = Task { () async -> Bool in
            (try? await script("ROLLBACK")) != nil
        }
        if await !task.value { close() }
    }

    func deliverNotification(_ payload: String) { onNotification?(payload) }

    func end(_ reason: PostgresError) {
        guard closedBecause == nil else { return }
        closedBecause = reason
        heartbeat.end()
        watch?.cancel()
        watch = nil
        for timer in cancelsUnderWay.values { timer.cancel() }
        cancelsUnderWay = [:]
        handle.finish()
        if let detail = reason.lossDetail { record.noteLost(server, detail) }
        let abandoned = sent + queue
        sent = []
        queue = []
        for operation in abandoned { operation.fail(reason) }
        let handlers = onClose
        onClose = []
        onNotification = nil
        for handler in handlers { handler(reason) }
    }
}
