import EventLoop

/// How long ago this process was surely heard by the server that keeps one of its sessions.
///
/// By this process's own clock, which runs on while the process stands still. So a process that was
/// frozen knows it before anything has arrived that says so.
public final class SessionHeartbeat: Sendable {
    private struct State {
        var heardAt: ContinuousClock.Instant?
        var isOver = false
    }

    private let state = Lock(State())

    init() {}

    /// False once the session has ended, or the server may be about to end it. What it owned may be
    /// another process's by then.
    public var isFresh: Bool {
        let state = state.withLock { $0 }
        guard !state.isOver, let heardAt = state.heardAt else { return false }
        return ContinuousClock.now - heardAt < .seconds(Limits.heardSecondsMax)
    }

    /// - Parameter sentAt: when what was answered had been sent.
    func heard(_ sentAt: ContinuousClock.Instant) {
        state.withLock { $0.heardAt = max($0.heardAt ?? sentAt, sentAt) }
    }

    func end() { state.withLock { $0.isOver = true } }
}

/// Sessions that own something while nothing is under way: the server ends them, and with them
/// what they own, soon after their process has stood still.
extension Connection {
    /// From now on the process has to be heard of, which this sees to while its loop turns.
    public func beginHeartbeat() async throws(PostgresError) {
        let now = ContinuousClock.now
        try await script("SET idle_session_timeout = '\(Limits.silentSessionSecondsMax)s'")
        heartbeat.heard(now)
        beatLater()
    }

    /// Asks for an answer now, for a caller that needs to know.
    public func beatNow() async throws(PostgresError) {
        let now = ContinuousClock.now
        _ = try await query("SELECT", timeout: .seconds(Limits.silentSessionSecondsMax))
        heartbeat.heard(now)
    }

    private func beatLater() {
        loop.schedule(after: .milliseconds(Limits.beatMillis)) { [weak self] in
            self?.assumeIsolated { $0.beat() }
        }
    }

    private func beat() {
        guard !isClosed else { return }
        let now = ContinuousClock.now
        batch([Statement("SELECT")], timeout: .seconds(Limits.silentSessionSecondsMax)) {
            [weak self] result in
            self?.assumeIsolated { connection in
                if case .success = result { connection.heartbeat.heard(now) }
                connection.beatLater()
            }
        }
    }
}
