import EventLoop
import TLS

/// What all connections of one server share.
///
/// `@unchecked Sendable`: everything that changes is touched only on the loop's thread.
final class HTTP2ServerCore: @unchecked Sendable {
    let loop: EventLoop
    /// Nil for a server that is handed its connections.
    private let tls: TLSContext?
    let maxConcurrentStreams: Int
    let limits: ServerLimits
    let intake: Intake
    let turns: RequestTurns
    /// Requests are checked and answers completed as HTTP/1.1 does it, and floods are cut. Not so
    /// for one that must be able to misbehave, such as a simulator.
    let isForClients: Bool
    let needsALPN: Bool
    let handler: @Sendable (Request) async -> HTTP2Server.Answer
    let rejection: @Sendable (Rejection, Request) -> Response
    let withoutALPN: @Sendable () -> Void
    var date = DateField()
    /// Those it has accepted itself.
    private(set) var connections: [UInt64: HTTP2ServerConnection] = [:]
    private var nextConnectionID: UInt64 = 1
    private var readRate: Int?
    private var listener: Listener?
    private var sweeper: LoopTimer?
    private var emptyWaiters: [CheckedContinuation<Void, Never>] = []

    init(
        loop: EventLoop, tls: TLSContext? = nil, intake: Intake, isForClients: Bool = false,
        maxConcurrentStreams: Int = HTTP2Limits.streamsMax, needsALPN: Bool = true,
        withoutALPN: @escaping @Sendable () -> Void = {},
        rejection: @escaping @Sendable (Rejection, Request) -> Response,
        handler: @escaping @Sendable (Request) async -> HTTP2Server.Answer
    ) {
        self.loop = loop
        self.tls = tls
        self.maxConcurrentStreams = maxConcurrentStreams
        limits = intake.limits
        self.intake = intake
        turns = RequestTurns(loop: loop)
        self.isForClients = isForClients
        self.needsALPN = needsALPN
        self.rejection = rejection
        self.withoutALPN = withoutALPN
        self.handler = handler
    }

    /// The moment on the loop's clock at which a wait of so many seconds from now is over.
    func due(in seconds: Double) -> UInt64 {
        loop.nowMillis + UInt64(seconds * 1_000)
    }

    func listen(host: String, port: Int) throws(HTTPError) -> Int {
        do throws(NetworkError) {
            let listener = try loop.listen(host: host, port: port) { self.accept($0) }
            self.listener = listener
            scheduleSweep()
            return listener.port
        } catch {
            throw .cannotListen("\(host):\(port): \(error)")
        }
    }

    private func accept(_ socket: Socket) {
        guard let tls, connections.count < limits.connectionsMax else { return socket.close() }
        let session: TLSSession
        do throws(TLSError) {
            session = try TLSSession(server: tls)
        } catch {
            return socket.close()
        }
        // Bodies count for all together.
        let account = intake.ledger.open(
            .address(.unknown), bytesMax: max(limits.heldBodyBytesMax, limits.bodyBytesMax))
        let connection = HTTP2ServerConnection(
            id: nextConnectionID, server: self, account: account, isOfProxy: false
        ) { [self] in released($0) }
        nextConnectionID += 1
        connections[connection.id] = connection
        connection.start(socket, TLSFilter(session))
        connection.setReadRate(readRate)
    }

    /// - Parameter id: nil for all.
    func connections(_ id: UInt64?) -> [HTTP2ServerConnection] {
        id.map { connections[$0].map { [$0] } ?? [] } ?? Array(connections.values)
    }

    func setReadRate(_ bytesPerSecond: Int?) {
        readRate = bytesPerSecond
        for connection in connections.values { connection.setReadRate(bytesPerSecond) }
    }

    private func released(_ connection: HTTP2ServerConnection) {
        connections[connection.id] = nil
        intake.ledger.close(connection.account)
        if connections.isEmpty { resumeEmptyWaiters() }
    }

    private func scheduleSweep() {
        sweeper = loop.schedule(after: .milliseconds(Limits.sweepMillis)) {
            let now = self.loop.nowMillis
            for connection in Array(self.connections.values) {
                connection.checkDeadlines(nowMillis: now, patience: 1)
            }
            self.scheduleSweep()
        }
    }

    // MARK: The end

    /// Takes no new connections and asks the clients of the others to leave.
    func beginDraining() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.goAway() }
    }

    func waitUntilEmpty(_ continuation: CheckedContinuation<Void, Never>, within: Duration) {
        if connections.isEmpty {
            sweeper?.cancel()
            return continuation.resume()
        }
        emptyWaiters.append(continuation)
        loop.schedule(after: within) {
            for connection in Array(self.connections.values) { connection.disconnect() }
            // A connection that was closing already is gone with its socket soon enough.
            self.resumeEmptyWaiters()
        }
    }

    private func resumeEmptyWaiters() {
        if listener == nil { sweeper?.cancel() }
        let waiters = emptyWaiters
        emptyWaiters = []
        for waiter in waiters { waiter.resume() }
    }
}
