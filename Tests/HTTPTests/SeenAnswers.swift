import EventLoop
import HTTP

/// Keeps what a server's observer sees.
final class SeenAnswers: RequestObserver {
    private struct State {
        var statuses: [Int] = []
        var ofTenants: [Int] = []
        var underWay = 0
        var slowReaders = 0
    }

    private let state = Lock(State())

    var statuses: [Int] { state.withLock { $0.statuses } }
    /// Those that are one tenant's own.
    var ofTenants: [Int] { state.withLock { $0.ofTenants } }
    var underWay: Int { state.withLock { $0.underWay } }
    /// Clients that were given up because they took too little.
    var slowReaders: Int { state.withLock { $0.slowReaders } }

    func began(_ request: Request) -> Bool {
        guard request.path != "/unseen" else { return false }
        state.withLock { $0.underWay += 1 }
        return true
    }

    func answered(status: Int, isOfTenant: Bool, after duration: Duration) {
        state.withLock { state in
            state.underWay -= 1
            state.statuses.append(status)
            if isOfTenant { state.ofTenants.append(status) }
        }
    }

    func gaveUpSlowReader() {
        state.withLock { $0.slowReaders += 1 }
    }
}
