public import EventLoop
import TLS

/// An HTTP/1.1 server on an event loop; over TLS one that speaks HTTP/2 too.
///
/// Handlers start on the loop's thread; one that does not suspend costs no hop to another.
// @unchecked: the variables are touched on the loop's thread only.
public final class HTTP1Server: @unchecked Sendable {
    let loop: EventLoop
    let limits: ServerLimits
    let rejection: @Sendable (Rejection, Request) -> Response
    let control: AdmissionControl
    let handler: Handler
    private let host: String
    private let port: Int
    private let socketMode: UInt32
    private let onShortage: @Sendable (Bool) -> Void
    /// Nil without TLS.
    private let identity: ServerIdentity?
    /// Serves clients that agree on HTTP/2.
    private let http2: HTTP2Server?

    var date = DateField()
    private(set) var isDraining = false
    private var listener: Listener?
    private(set) var connections: [UInt64: any ServerConnection] = [:]
    private var connectionCount: UInt64 = 0
    private var refusals = 0
    private var sweepTimer: LoopTimer?
    private var drainWaiters: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - host: also `unix:` and the path of a Unix-domain socket, which has no port.
    ///   - port: 0 takes any free port.
    ///   - identity: what the server shows over TLS; nil for a server without. Clients that agree
    ///     by ALPN speak HTTP/2, within the same limits.
    ///   - socketMode: permissions of a Unix-domain socket's file.
    ///   - streamsBody: asked with a request's head; true hands its body over as it comes, however
    ///     long, in `bodyStream`.
    ///   - endsWithClient: asked with a request's method and target when its client has closed its
    ///     half of the connection before the answer; true takes the client for gone, and cancels
    ///     the handler.
    ///   - admission: asked with a request's head before its body is taken, unless the body is
    ///     small and came with the head; nil takes everybody's.
    ///   - trustedProxies: whose word on a client's address is believed, and whose own connections
    ///     are not counted as one client's.
    ///   - observer: sees what the handler is given. What the server refuses by itself it does not
    ///     see.
    ///   - onShortage: called on the loop when there is no descriptor for a new connection, and
    ///     when there are some again.
    ///   - rejection: makes the answer to what never reaches the handler, by as much of the request
    ///     as was read; its body must be bytes.
    public init(
        loop: EventLoop, host: String, port: Int, identity: ServerIdentity? = nil,
        socketMode: UInt32 = SocketFile.standardMode, limits: ServerLimits = .standard,
        rejection: @escaping @Sendable (Rejection, Request) -> Response = Rejection.problem,
        streamsBody: @escaping @Sendable (Request) -> Bool = { _ in false },
        endsWithClient: @escaping @Sendable (Request) -> Bool = { _ in false },
        admission: Admitter? = nil, trustedProxies: [AddressRange] = [],
        observer: (any RequestObserver)? = nil,
        onShortage: @escaping @Sendable (Bool) -> Void = { _ in },
        handler: @escaping Handler
    ) {
        self.loop = loop
        self.limits = limits
        self.rejection = rejection
        let control = AdmissionControl(
            loop: loop, limits: limits, admission: admission, streamsBody: streamsBody,
            endsWithClient: endsWithClient, trustedProxies: trustedProxies, observer: observer)
        self.control = control
        self.handler = handler
        self.host = host
        self.port = port
        self.socketMode = socketMode
        self.onShortage = onShortage
        self.identity = identity
        http2 = identity.map { _ in
            HTTP2Server(
                loop: loop, control: control, isForClients: true, rejection: rejection,
                handler: { .response(await handler($0)) })
        }
    }

    /// Starts to listen; once.
    /// - Returns: the port bound.
    public func start() async throws(HTTPError) -> Int {
        try await loop.submit { () throws(HTTPError) in
            do throws(NetworkError) {
                return try self.listen()
            } catch {
                throw .cannotListen("\(error)")
            }
        }
    }

    /// Accepts no more connections, lets requests in progress be answered, ends event streams, and
    /// returns when every connection is closed or the time is over; what is left is then cut.
    public func drain(within time: Duration) async {
        await withCheckedContinuation { continuation in
            loop.run {
                self.beginDrain(continuation)
                self.loop.schedule(after: time) {
                    for connection in Array(self.connections.values) { connection.cut() }
                }
            }
        }
    }

    private var accounts: BodyAccounts { control.accounts }
    var isSecure: Bool { identity != nil }

    private func listen() throws(NetworkError) -> Int {
        precondition(listener == nil, "a server starts once")
        let listener = try loop.listen(host: host, port: port, socketMode: socketMode) {
            [self] in accept($0)
        }
        listener.onShortage = { [self] isShort in
            // Descriptors that take a place for nothing are given up for those who wait.
            if isShort { giveUpSpare() }
            onShortage(isShort)
        }
        self.listener = listener
        return listener.port
    }

    func forget(_ connection: any ServerConnection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        connection.account.connections -= 1
        accounts.close(connection.account)
        guard isDraining, connections.isEmpty else { return }
        for waiter in drainWaiters { waiter.resume() }
        drainWaiters = []
    }

    private func accept(_ socket: Socket) {
        let address =
            socket.isLocal ? .unixSocket : ClientAddress(socket.remoteAddress) ?? .unknown
        let isOfProxy = control.isTrusted(address)
        let account = accounts.open(
            .address(address.share), bytesMax: limits.reservedBytesPerAddressMax)
        guard isOfProxy || account.connections < limits.connectionsPerAddressMax else {
            accounts.close(account)
            return refuse(
                socket, "This address has as many connections as one may have; close some.")
        }
        if connections.count >= limits.connectionsMax { giveUpSpare() }
        guard connections.count < limits.connectionsMax else {
            accounts.close(account)
            return refuse(socket, "Too many connections; try later.")
        }
        welcome(socket, account, isOfProxy: isOfProxy)
        if sweepTimer == nil { scheduleSweep() }
    }

    private func welcome(_ socket: Socket, _ account: BodyAccounts.Account, isOfProxy: Bool) {
        connectionCount += 1
        account.connections += 1
        guard let identity else {
            connections[connectionCount] = HTTP1Connection(
                id: connectionCount, socket: socket, server: self, account: account,
                isOfProxy: isOfProxy)
            return
        }
        let session: TLSSession
        let context = identity.withLock { $0 }
        do throws(TLSError) { session = try TLSSession(server: context) } catch {
            account.connections -= 1
            accounts.close(account)
            return socket.close()
        }
        connections[connectionCount] = Arrival(
            id: connectionCount, socket: socket, server: self, account: account,
            isOfProxy: isOfProxy, tls: TLSFilter(session))
    }

    /// The handshake is through. The client has the same place as before.
    func settle(_ arrival: Arrival, _ socket: Socket, _ tls: TLSFilter) {
        guard connections[arrival.id] != nil else { return }
        let connection: any ServerConnection
        if tls.applicationProtocol == "h2", let http2 {
            let other = HTTP2ServerConnection(
                id: arrival.id, server: http2, account: arrival.account,
                isOfProxy: arrival.isOfProxy
            ) { [self] in forget($0) }
            connection = other
            connections[arrival.id] = connection
            other.start(socket, tls)
        } else {
            connection = HTTP1Connection(
                id: arrival.id, socket: socket, server: self, account: arrival.account,
                isOfProxy: arrival.isOfProxy)
            connections[arrival.id] = connection
        }
        guard isDraining else { return }
        connection.announceEnd()
        loop.schedule(after: .milliseconds(Limits.drainGraceMillis)) { connection.drain() }
    }

    private func refuse(_ socket: Socket, _ detail: String) {
        // Without a handshake there is nothing to say it in.
        guard refusals < Limits.refusalsMax, !isSecure else { return socket.close() }
        refusals += 1
        socket.onReleased = { [self] in refusals -= 1 }
        let response = rejection(
            Rejection(.tooManyConnections, detail), Request(method: "", target: ""))
        socket.write { output in
            var body: [UInt8] = []
            if case .bytes(let bytes) = response.body { body = bytes }
            ResponseWriter.appendHead(
                response, .length(body.count), .close, date: date.now(), to: &output)
            output.append(contentsOf: body)
        }
        socket.shutdownThenClose()
    }

    private func scheduleSweep() {
        sweepTimer = loop.schedule(after: .milliseconds(Limits.sweepMillis)) { [self] in
            let now = loop.nowMillis
            // A copy, because connections leave the table while they are looked at.
            for connection in Array(connections.values) {
                connection.checkDeadlines(nowMillis: now, patience: patience(with: connection))
            }
            sweepTimer = nil
            if !connections.isEmpty { scheduleSweep() }
        }
    }

    // MARK: Room

    /// All of it while there is room, for everybody and for the client's address; then less and
    /// less.
    private func patience(with connection: any ServerConnection) -> Double {
        let all = Double(connections.count) / Double(limits.connectionsMax)
        let own =
            connection.isOfProxy
            ? 0 : Double(connection.account.connections) / Double(limits.connectionsPerAddressMax)
        let scarcity = (max(all, own) - Limits.scarceShare) / (1 - Limits.scarceShare)
        return scarcity <= 0 ? 1 : max(Limits.patienceMin, 1 - (1 - Limits.patienceMin) * scarcity)
    }

    /// Closes some connections that nothing would be missed of, for somebody who has come.
    private func giveUpSpare() {
        let now = loop.nowMillis
        let spare = connections.values.filter(\.isSpare)
            .map { (rank: $0.spareRank(nowMillis: now), since: $0.waitingSinceMillis, $0) }
            .sorted { ($0.rank, $0.since, $0.2.id) < ($1.rank, $1.since, $1.2.id) }
        let count = max(1, limits.connectionsMax / Limits.evictedShare)
        for (_, _, connection) in spare.prefix(count) { connection.cut() }
    }

    // MARK: Draining

    private func beginDrain(_ waiter: CheckedContinuation<Void, Never>) {
        isDraining = true
        // Clients that have connected already are answered; to close would reset them.
        listener?.acceptAllThenClose()
        guard !connections.isEmpty else { return waiter.resume() }
        drainWaiters.append(waiter)
        for connection in Array(connections.values) { connection.announceEnd() }
        loop.schedule(after: .milliseconds(Limits.drainGraceMillis)) { [self] in
            for connection in Array(connections.values) { connection.drain() }
        }
        loop.schedule(after: .milliseconds(Limits.drainPatienceMillis)) { [self] in
            for connection in Array(connections.values) { connection.endWait() }
        }
    }
}

extension HTTP1Connection: ServerConnection {
    /// Its next answer says so.
    func announceEnd() {}

    func cut() { socket.close() }

    func drain() {
        switch phase {
        case .reading: if isIdle { finish() }
        case .streaming:
            // Event streams never end by themselves and their readers reconnect. Any other stream
            // runs to its end, or is cut visibly when the time to drain is over.
            sendReplacementEnd()
        case .handling:
            // An upload of any length would not be over in time; its handler can still answer.
            bodyInput?.fail(.serverStopping)
        case .queued, .admitting, .refusing, .closing, .closed: break
        }
    }

    /// Its handler learns that there is no point in waiting any longer, and answers with what there
    /// is.
    func endWait() {
        if phase == .handling, head?.request.method == "GET" { task?.cancel() }
    }
}
