import HTTP

/// A connection on which the first request goes alone.
///
/// APNs allows one stream until a request with a valid provider token has been answered; others
/// wait here until then. Belongs to the actor that made it.
final class ProvenConnection {
    private enum Phase {
        case untried
        /// The first request is under way.
        case proving
        case proven
    }

    let http: HTTP2Connection
    private var phase = Phase.untried
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ http: HTTP2Connection) {
        self.http = http
    }

    /// Returns when a request may be sent; true for the one that goes first and must `report`.
    nonisolated(nonsending) func admission() async -> Bool {
        while true {
            switch phase {
            case .proven: return false
            case .untried:
                phase = .proving
                return true
            case .proving:
                await withCheckedContinuation { waiter in
                    // Looked at once more here: at every `await` the report may come in between,
                    // and nobody would resume who begins to wait after it.
                    if phase == .proving { waiters.append(waiter) } else { waiter.resume() }
                }
            }
        }
    }

    /// What became of the first request. If it was not answered well, another one goes first; on a
    /// connection that is over, nobody needs to wait any more.
    func report(isAnsweredWell: Bool) {
        guard phase == .proving else { return }
        if isAnsweredWell || !http.isUsable {
            phase = .proven
            let admitted = waiters
            waiters = []
            for waiter in admitted { waiter.resume() }
        } else {
            phase = .untried
            if !waiters.isEmpty { waiters.removeFirst().resume() }
        }
    }
}
