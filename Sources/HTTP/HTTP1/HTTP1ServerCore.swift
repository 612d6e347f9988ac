import EventLoop

/// What the connections of one server share.
// @unchecked: the variables are touched on the loop's thread only.
final class HTTP1ServerCore: @unchecked Sendable {
    let loop: EventLoop
    let limits: ServerLimits
    let rejection: @Sendable (Rejection) -> Response
    let streamsBody: @Sendable (Request) -> Bool
    let handler: Handler

    var date = DateField()
    private(set) var isDraining = false
    private var listener: Listener?
    private var connections: [UInt64: HTTP1Connection] = [:]
    private var connectionCount: UInt64 = 0
    private var refusals = 0
    private var heldBodyBytes = 0
    private var sweepTimer: LoopTimer?
    private var drainWaiters: [CheckedContinuation<Void, Never>] = []

    init(
        loop: EventLoop, limits: ServerLimits,
        rejection: @escaping @Sendable (Rejection) -> Response,
        streamsBody: @escaping @Sendable (Request) -> Bool, handler: @escaping Handler
    ) {
        self.loop = loop
        self.limits = limits
        self.rejection = rejection
        self.streamsBody = streamsBody
        self.handler = handler
    }

    func listen(host: String, port: Int) throws(NetworkError) -> Int {
        precondition(listener == nil, "a server starts once")
        let listener = try loop.listen(host: host, port: port) { [self] in accept($0) }
        self.listener = listener
        return listener.port
    }

    func deadline(seconds: Double) -> UInt64 { loop.nowMillis + UInt64(seconds * 1_000) }

    func forget(_ connection: HTTP1Connection) {
        connections[connection.id] = nil
        guard isDraining, connections.isEmpty else { return }
        for waiter in drainWaiters { waiter.resume() }
        drainWaiters = []
    }

    /// - Returns: false when there is no room; one body is always let in.
    func holdBody(_ bytes: Int) -> Bool {
        guard heldBodyBytes == 0 || heldBodyBytes + bytes <= limits.heldBodyBytesMax else {
            return false
        }
        heldBodyBytes += bytes
        return true
    }

    func dropBody(_ bytes: Int) { heldBodyBytes -= bytes }

    private func accept(_ socket: Socket) {
        guard connections.count < limits.connectionsMax else { return refuse(socket) }
        connectionCount += 1
        let connection = HTTP1Connection(id: connectionCount, socket: socket, core: self)
        connections[connection.id] = connection
        if sweepTimer == nil { scheduleSweep() }
    }

    private func refuse(_ socket: Socket) {
        guard refusals < Limits.refusalsMax else { return socket.close() }
        refusals += 1
        socket.onReleased = { [self] in refusals -= 1 }
        let response = rejection(Rejection(.tooManyConnections, "Too many connections; try later."))
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
                connection.checkDeadlines(nowMillis: now)
            }
            sweepTimer = nil
            if !connections.isEmpty { scheduleSweep() }
        }
    }

    // MARK: Draining

    func beginDrain(_ waiter: CheckedContinuation<Void, Never>) {
        isDraining = true
        listener?.close()
        guard !connections.isEmpty else { return waiter.resume() }
        drainWaiters.append(waiter)
        loop.schedule(after: .milliseconds(Limits.drainGraceMillis)) { [self] in
            for connection in Array(connections.values) { connection.drain() }
        }
        loop.schedule(after: .milliseconds(Limits.drainPatienceMillis)) { [self] in
            for connection in Array(connections.values) { connection.endWait() }
        }
    }

    func closeAll() {
        for connection in Array(connections.values) { connection.socket.close() }
    }
}

extension HTTP1Connection {
    /// The server is going away: requests begun are still answered.
    func drain() {
        switch phase {
        case .reading: if isIdle { finish() }
        case .streaming:
            // Event streams never end by themselves and their readers reconnect. Any other stream
            // runs to its end, or is cut visibly when the time to drain is over.
            if isEndless { task?.cancel() }
        case .handling:
            // An upload of any length would not be over in time; its handler can still answer.
            bodyInput?.fail(.serverStopping)
        case .closing, .closed: break
        }
    }

    /// A reader that is still being answered waits for something to happen. Its handler learns that
    /// there is no point in waiting any longer, and answers with what there is.
    func endWait() {
        if phase == .handling, head?.method == "GET" { task?.cancel() }
    }
}
