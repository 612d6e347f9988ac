import CNGHTTP2
public import EventLoop
public import TLS

/// An HTTP/2 server over TLS, for clients that offer `h2` by ALPN; and, without a socket of its
/// own, what the connections of an `HTTP1Server` that speak HTTP/2 have in common.
// @unchecked: everything that changes is touched on the loop's thread only.
public final class HTTP2Server: @unchecked Sendable {
    /// What becomes of one request.
    public enum Answer: Sendable {
        case response(Response)
        /// The stream is reset, without a response.
        case reset(HTTP2ErrorCode)
        /// The connection is dropped without a word, and with it all its streams.
        case disconnect
    }

    let loop: EventLoop
    /// Where it listens; nil for a server that is handed its connections.
    private let place: (host: String, port: Int, tls: TLSContext)?
    let maxConcurrentStreams: Int
    let limits: ServerLimits
    let control: AdmissionControl
    /// Requests are checked and answers completed as HTTP/1.1 does it, and floods are cut. Not so
    /// for one that must be able to misbehave, such as a simulator.
    let isForClients: Bool
    let needsALPN: Bool
    let handler: @Sendable (Request) async -> Answer
    let rejection: @Sendable (Rejection, Request) -> Response
    let withoutALPN: @Sendable () -> Void
    var date = DateField()
    /// Those it has accepted itself.
    private var connections: [UInt64: HTTP2ServerConnection] = [:]
    private var nextConnectionID: UInt64 = 1
    private var readRate: Int?
    private var listener: Listener?
    private var sweeper: LoopTimer?
    private var emptyWaiters: [CheckedContinuation<Void, Never>] = []

    /// One that is able to misbehave, such as a simulator.
    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - maxConcurrentStreams: what each connection begins with.
    ///   - needsALPN: clients that offer no protocol are sent away. Some of APNs' do not.
    ///   - withoutALPN: hears of each connection that is let in anyway.
    ///   - rejection: answers requests that no handler gets to see, by as much of the request as
    ///     was read, without its body.
    ///   - answering: runs on the loop; it must never block. Cancelled when its stream ends early.
    public convenience init(
        loop: EventLoop, host: String, port: Int, tls: TLSContext, maxConcurrentStreams: Int = 100,
        limits: ServerLimits = .standard, needsALPN: Bool = true,
        withoutALPN: @escaping @Sendable () -> Void = {},
        rejection: @escaping @Sendable (Rejection, Request) -> Response = Rejection.problem,
        answering: @escaping @Sendable (Request) async -> Answer
    ) {
        self.init(
            loop: loop, at: (host: host, port: port, tls: tls),
            control: AdmissionControl(loop: loop, limits: limits), isForClients: false,
            maxConcurrentStreams: maxConcurrentStreams, needsALPN: needsALPN,
            withoutALPN: withoutALPN, rejection: rejection, handler: answering)
    }

    init(
        loop: EventLoop, at place: (host: String, port: Int, tls: TLSContext)? = nil,
        control: AdmissionControl, isForClients: Bool,
        maxConcurrentStreams: Int = HTTP2Limits.streamsMax, needsALPN: Bool = true,
        withoutALPN: @escaping @Sendable () -> Void = {},
        rejection: @escaping @Sendable (Rejection, Request) -> Response,
        handler: @escaping @Sendable (Request) async -> Answer
    ) {
        self.loop = loop
        self.place = place
        self.maxConcurrentStreams = maxConcurrentStreams
        limits = control.limits
        self.control = control
        self.isForClients = isForClients
        self.needsALPN = needsALPN
        self.rejection = rejection
        self.withoutALPN = withoutALPN
        self.handler = handler
    }

    /// Begins to accept connections and returns the port.
    /// - Throws: `HTTPError.cannotListen`.
    public func start() async throws(HTTPError) -> Int {
        try await loop.submit { () throws(HTTPError) in try self.listen() }
    }

    /// Stops accepting, sends GOAWAY, waits for requests under way, then drops what is left.
    public func drain(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            loop.run { self.beginDrain(continuation, within: limit) }
        }
    }

    /// Changes how many streams one connection may have open; in force when the client has seen it.
    /// - Parameter connection: `Request.connectionID`; one that is gone is ignored.
    public func setMaxConcurrentStreams(_ count: Int, connection: UInt64) {
        // At once on the loop, as from a handler: the order of frames is that of the calls.
        loop.runAtOnce {
            self.connections[connection]?.change(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, to: count)
        }
    }

    /// Sets how much of a body each stream may carry before the server asks for more.
    public func setStreamWindow(_ bytes: Int, connection: UInt64) {
        loop.runAtOnce {
            self.connections[connection]?.change(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, to: bytes)
        }
    }

    /// Tells the client to open no more streams here; the connection closes when those it has open
    /// are answered.
    /// - Parameters:
    ///   - connection: nil for all.
    ///   - body: goes out as the frame's debug data.
    ///   - lastStreamID: streams above it are abandoned as not processed; nil abandons none.
    public func goAway(connection: UInt64?, body: [UInt8] = [], lastStreamID: Int32? = nil) {
        loop.runAtOnce {
            for connection in self.connections(connection) {
                connection.goAway(body: body, lastStreamID: lastStreamID)
            }
        }
    }

    /// Drops one connection without a word.
    /// - Parameter connection: nil for all.
    public func disconnect(_ connection: UInt64?) {
        loop.run {
            for connection in self.connections(connection) { connection.cut() }
        }
    }

    /// Reads no faster than that from each connection, those to come included.
    /// - Parameter bytesPerSecond: of ciphertext; nil for as fast as possible.
    public func setReadRate(_ bytesPerSecond: Int?) {
        loop.runAtOnce {
            self.readRate = bytesPerSecond
            for connection in self.connections.values { connection.setReadRate(bytesPerSecond) }
        }
    }

    // MARK: On the loop

    /// The moment on the loop's clock at which a wait of so many seconds from now is over.
    func due(in seconds: Double) -> UInt64 {
        loop.nowMillis + UInt64(seconds * 1_000)
    }

    private func listen() throws(HTTPError) -> Int {
        guard let (host, port, tls) = place else { preconditionFailure("nowhere to listen") }
        do throws(NetworkError) {
            let listener = try loop.listen(host: host, port: port) { self.accept($0, tls) }
            self.listener = listener
            scheduleSweep()
            return listener.port
        } catch {
            throw .cannotListen("\(host):\(port): \(error)")
        }
    }

    private func accept(_ socket: Socket, _ tls: TLSContext) {
        guard connections.count < limits.connectionsMax else { return socket.close() }
        let session: TLSSession
        do throws(TLSError) {
            session = try TLSSession(server: tls)
        } catch {
            return socket.close()
        }
        // Bodies count for all together.
        let account = control.accounts.open(
            .address(.unknown), bytesMax: max(limits.reservedBytesMax, limits.bodyBytesMax))
        let connection = HTTP2ServerConnection(
            id: nextConnectionID, server: self, account: account, isOfProxy: false
        ) { [self] in released($0) }
        nextConnectionID += 1
        connections[connection.id] = connection
        connection.start(socket, TLSFilter(session))
        connection.setReadRate(readRate)
    }

    /// - Parameter id: nil for all.
    private func connections(_ id: UInt64?) -> [HTTP2ServerConnection] {
        id.map { connections[$0].map { [$0] } ?? [] } ?? Array(connections.values)
    }

    private func released(_ connection: HTTP2ServerConnection) {
        connections[connection.id] = nil
        control.accounts.close(connection.account)
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

    private func beginDrain(_ waiter: CheckedContinuation<Void, Never>, within limit: Duration) {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.goAway() }
        if connections.isEmpty {
            sweeper?.cancel()
            return waiter.resume()
        }
        emptyWaiters.append(waiter)
        loop.schedule(after: limit) {
            for connection in Array(self.connections.values) { connection.cut() }
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
