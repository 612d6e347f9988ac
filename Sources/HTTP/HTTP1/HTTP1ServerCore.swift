import EventLoop

/// What the connections of one server share.
// @unchecked: the variables are touched on the loop's thread only.
final class HTTP1ServerCore: @unchecked Sendable {
    let loop: EventLoop
    let limits: ServerLimits
    let rejection: @Sendable (Rejection) -> Response
    let streamsBody: @Sendable (Request) -> Bool
    /// Nil takes everybody's body.
    let admission: Admitter?
    let trustedProxies: [AddressRange]
    let onShortage: @Sendable (Bool) -> Void
    let handler: Handler
    let ledger: BodyLedger

    var date = DateField()
    private(set) var isDraining = false
    private var listener: Listener?
    private var connections: [UInt64: HTTP1Connection] = [:]
    private var connectionCount: UInt64 = 0
    private var refusals = 0
    private var refusalPace = RefusalPace()
    private var sweepTimer: LoopTimer?
    private var drainWaiters: [CheckedContinuation<Void, Never>] = []

    init(
        loop: EventLoop, limits: ServerLimits,
        rejection: @escaping @Sendable (Rejection) -> Response,
        streamsBody: @escaping @Sendable (Request) -> Bool, admission: Admitter?,
        trustedProxies: [AddressRange], onShortage: @escaping @Sendable (Bool) -> Void,
        handler: @escaping Handler
    ) {
        self.loop = loop
        self.limits = limits
        self.rejection = rejection
        self.streamsBody = streamsBody
        self.admission = admission
        self.trustedProxies = trustedProxies
        self.onShortage = onShortage
        ledger = BodyLedger(limits)
        self.handler = handler
    }

    func listen(host: String, port: Int) throws(NetworkError) -> Int {
        precondition(listener == nil, "a server starts once")
        let listener = try loop.listen(host: host, port: port) { [self] in accept($0) }
        listener.onShortage = { [self] isShort in
            // Descriptors that hold nothing but a place are given up for those who wait.
            if isShort { giveUpSpare() }
            onShortage(isShort)
        }
        self.listener = listener
        return listener.port
    }

    func deadline(seconds: Double) -> UInt64 { loop.nowMillis + UInt64(seconds * 1_000) }

    func forget(_ connection: HTTP1Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        connection.account.connections -= 1
        ledger.close(connection.account)
        guard isDraining, connections.isEmpty else { return }
        for waiter in drainWaiters { waiter.resume() }
        drainWaiters = []
    }

    private func accept(_ socket: Socket) {
        let address = ClientAddress(socket.remoteAddress) ?? .unknown
        let isOfProxy = isTrusted(address)
        let account = ledger.open(
            .address(address.share), bytesMax: limits.heldBodyBytesPerAddressMax)
        guard isOfProxy || account.connections < limits.connectionsPerAddressMax else {
            ledger.close(account)
            return refuse(
                socket, "This address has as many connections as one may have; close some.")
        }
        if connections.count >= limits.connectionsMax { giveUpSpare() }
        guard connections.count < limits.connectionsMax else {
            ledger.close(account)
            return refuse(socket, "Too many connections; try later.")
        }
        connectionCount += 1
        account.connections += 1
        let connection = HTTP1Connection(
            id: connectionCount, socket: socket, core: self, account: account,
            isOfProxy: isOfProxy)
        connections[connection.id] = connection
        if sweepTimer == nil { scheduleSweep() }
    }

    private func refuse(_ socket: Socket, _ detail: String) {
        guard refusals < Limits.refusalsMax else { return socket.close() }
        refusals += 1
        socket.onReleased = { [self] in refusals -= 1 }
        let response = rejection(Rejection(.tooManyConnections, detail))
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

    /// Counts a refusal of whoever is on the other side, a proxy for all its clients.
    func refusalDelayMillis(of account: BodyLedger.Account) -> Int {
        guard case .address(let address) = account.holder else { return 0 }
        return refusalPace.delayMillis(for: address, nowMillis: loop.nowMillis)
    }

    // MARK: Room

    func isTrusted(_ address: ClientAddress) -> Bool {
        !trustedProxies.isEmpty && trustedProxies.contains { $0.contains(address) }
    }

    /// Whose the body of a request is, each opened for it.
    func accounts(
        of request: Request, _ terms: Admission.Terms, from connection: HTTP1Connection
    ) -> [BodyLedger.Account] {
        var holder = connection.account.holder
        if connection.isOfProxy, case .address(let peer) = holder {
            let client = ClientAddress.forwarded(
                request.headers, by: peer, trusted: trustedProxies)
            holder = .address(client.share)
        }
        return [ledger.open(holder, bytesMax: limits.heldBodyBytesPerAddressMax)]
            + terms.holders.map { ledger.open(.named($0.name), bytesMax: $0.bytesMax) }
    }

    /// All of it while there is room, for everybody and for the client's address; then less and
    /// less.
    private func patience(with connection: HTTP1Connection) -> Double {
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
        for (_, _, connection) in spare.prefix(count) { connection.socket.close() }
    }

    // MARK: Draining

    func beginDrain(_ waiter: CheckedContinuation<Void, Never>) {
        isDraining = true
        // Whoever has connected already is answered; to close would reset them.
        listener?.acceptAllThenClose()
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
            if isEndless { sendReplacementEnd() }
        case .handling:
            // An upload of any length would not be over in time; its handler can still answer.
            bodyInput?.fail(.serverStopping)
        case .admitting, .refusing, .closing, .closed: break
        }
    }

    /// A reader that is still being answered waits for something to happen. Its handler learns that
    /// there is no point in waiting any longer, and answers with what there is.
    func endWait() {
        if phase == .handling, head?.method == "GET" { task?.cancel() }
    }
}
