import EventLoop

/// Which server has the newest timeline. An old primary that came back takes writes too, and what
/// it records is lost: no session with it is begun, and those that are open end.
extension ConnectionRecord {
    /// Whether it is unknown which server is in use: at first, and after a loss.
    var mustChoose: Bool { current.isLost || current.server == nil }

    func isSilent(_ server: String) -> Bool { current.silent.contains(server) }

    /// Asks for a session with a server, and remembers its timeline.
    /// - Returns: why there can be none.
    func admit(_ server: WritableServer?) -> PostgresError? {
        guard let server else { return nil }
        return noteNewest(server).map { server.refusal(after: $0) }
    }

    /// These took writes, the one with the newest timeline first.
    func noteWritable(_ servers: [WritableServer]) {
        let isChange = state.withLock { state in
            defer { state.writable = servers }
            return servers.count > 1 && state.writable != servers
        }
        if isChange { report(.severalWritable(servers)) }
        for server in servers { _ = noteNewest(server) }
    }

    /// There is one server alone to choose from.
    func forgetWritable() { state.withLock { $0.writable = nil } }

    /// One that took long is left out by those who wait for a session, until a look is answered
    /// soon. The one in use is not put last for it.
    func noteLook(at server: String, isAnswered: Bool) {
        state.withLock { state in
            if isAnswered {
                state.silent.remove(server)
            } else if state.isLost || state.server != server {
                state.silent.insert(server)
            }
        }
    }

    /// Calls `listener` whenever a server is seen with a newer timeline of its cluster than all
    /// before.
    func onNewest(_ listener: @escaping @Sendable (_ newest: WritableServer) -> Void) {
        state.withLock { $0.newestListeners.append(listener) }
    }

    /// - Returns: the one that is newer.
    private func noteNewest(_ server: WritableServer) -> WritableServer? {
        var listeners: [@Sendable (_ newest: WritableServer) -> Void] = []
        let newer = state.withLock { state -> WritableServer? in
            if let known = state.newest[server.cluster] {
                if server.isOlder(than: known) { return known }
                if known.isOlder(than: server) { listeners = state.newestListeners }
            }
            state.newest[server.cluster] = server
            return nil
        }
        for listener in listeners { listener(server) }
        return newer
    }
}
