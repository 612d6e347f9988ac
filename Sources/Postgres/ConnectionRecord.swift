import EventLoop

/// What the connections of one program have lived through. All its pools write into the same one,
/// whatever loop they are on.
public final class ConnectionRecord: Sendable {
    /// At one moment.
    public struct State: Sendable {
        /// Calls that were given up because the server did not answer in time.
        public var callsTimedOut = 0
        /// Connections that were given up because the server did not even answer a cancel request.
        public var connectionsSilent = 0
        /// Commits that synchronous standbys had not confirmed when the wait for them ended.
        public var commitsNotReplicated = 0
        /// Times that the server was reached again after a connection to it had broken.
        public var reconnects = 0
        /// Times that it was another server then: another host or port.
        public var serverChanges = 0
        /// Host and port of the server that was reached last.
        public var server: String?
        /// Servers of the connection string that took writes when they were last asked, the one
        /// with the newest timeline first. Nil before that, and where the string names one only.
        public var writable: [WritableServer]?
        /// Open right now, by the pool's name; those that a pool does not lend count too.
        public var connectionsOpen: [String: Int] = [:]
        /// Tries to open one that failed, by the pool's name.
        public var connectsFailed: [String: Int] = [:]

        /// From the breaking of a connection until the next one stands.
        var isLost = false
        /// Servers that did not answer, until they do.
        var silent: Set<String> = []
        /// When it was last shown that sessions are not shared, although somebody stands between.
        var sessionsProvenAt: ContinuousClock.Instant?
        var listeners: [@Sendable (_ server: String) -> Void] = []
        /// The one with the newest timeline that was seen of each cluster.
        var newest: [String: WritableServer] = [:]
        var newestListeners: [@Sendable (_ newest: WritableServer) -> Void] = []
    }

    /// What is worth a line in a log, once for each change unless it says otherwise.
    public enum Diagnostic: Hashable, Sendable {
        /// A connection broke or could not be made.
        case lost(server: String?, detail: String)
        /// A connection stands: the first one, or the first since one was lost.
        case reached(server: String, before: String?)
        /// The server answers and lets no further connection in, each time.
        case refused(ServerError)
        /// Several servers take writes, of which only one should: the newest timeline first.
        case severalWritable([WritableServer])
    }

    let state = Lock(State())
    let report: @Sendable (Diagnostic) -> Void

    public init(report: @escaping @Sendable (Diagnostic) -> Void = { _ in }) {
        self.report = report
    }

    public var current: State { state.withLock { $0 } }

    func noteTimeout() { state.withLock { $0.callsTimedOut += 1 } }

    /// A server was given up that did not answer. The owners of connections to it look after them.
    func noteSilence(of server: String) {
        let listeners = state.withLock { state in
            state.connectionsSilent += 1
            state.silent.insert(server)
            return state.listeners
        }
        for listener in listeners { listener(server) }
    }

    /// Calls `listener` whenever a server was given up that did not answer, from anywhere.
    func onSilence(_ listener: @escaping @Sendable (_ server: String) -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    /// A host did not answer in time when it was connected to.
    func noteUnreachable(_ server: String) { state.withLock { _ = $0.silent.insert(server) } }

    /// Where to try first: the server that was reached last, and last those that did not answer,
    /// so that not every new connection pays for them.
    func order(_ servers: [ServerAddress]) -> [ServerAddress] {
        let (last, silent) = state.withLock { ($0.server, $0.silent) }
        func rank(_ server: ServerAddress) -> Int {
            silent.contains(server.name) ? 2 : server.name == last ? 0 : 1
        }
        // Among equals the list's order stays.
        return servers.sorted { rank($0) < rank($1) }
    }

    /// Whether it has to be shown again that sessions are not shared.
    var mustProveSessions: Bool {
        state.withLock { state in
            guard !state.isLost, let at = state.sessionsProvenAt else { return true }
            return ContinuousClock.now - at > .seconds(Limits.sessionProofSeconds)
        }
    }

    func noteSessionsProven() { state.withLock { $0.sessionsProvenAt = .now } }

    func noteNotReplicated() { state.withLock { $0.commitsNotReplicated += 1 } }

    func note(_ count: Int, openIn pool: String) {
        state.withLock { $0.connectionsOpen[pool] = count }
    }

    func noteFailure(openingIn pool: String) {
        state.withLock { $0.connectsFailed[pool, default: 0] += 1 }
    }

    func noteReached(_ server: String) {
        let diagnostic = state.withLock { state -> Diagnostic? in
            let before = state.server
            if state.isLost, before != nil { state.reconnects += 1 }
            if let before, before != server { state.serverChanges += 1 }
            let isChange = state.isLost || before != server
            (state.server, state.isLost) = (server, false)
            state.silent.remove(server)
            return isChange ? .reached(server: server, before: before) : nil
        }
        if let diagnostic { report(diagnostic) }
    }

    /// A new connection could not be made. A server that answers is not lost: what it refuses one
    /// caller, such as for lack of connections, it gives the next.
    func noteFailure(_ error: PostgresError) {
        switch error {
        case .notAdmitted(let serverError):
            // One that was never reached, or is lost already, has been reported otherwise.
            let stands = state.withLock { !$0.isLost && $0.server != nil }
            if stands { report(.refused(serverError)) }
        default: noteLost(nil, error.connectingDetail)
        }
    }

    func noteLost(_ server: String?, _ detail: String) {
        let isChange = state.withLock { state in
            defer { state.isLost = true }
            // A server that has never been reached cannot be lost; the caller that connects gets
            // the reason.
            return !state.isLost && state.server != nil
        }
        if isChange { report(.lost(server: server, detail: detail)) }
    }
}
