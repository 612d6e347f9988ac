import EventLoop
import HTTP

/// Keeps what a server's observer sees.
final class SeenAnswers: RequestObserver {
    private struct State {
        var statuses: [Int] = []
        var underWay = 0
    }

    private let state = Lock(State())

    var statuses: [Int] { state.withLock { $0.statuses } }
    var underWay: Int { state.withLock { $0.underWay } }

    func began(_ request: Request) -> Bool {
        guard request.path != "/unseen" else { return false }
        state.withLock { $0.underWay += 1 }
        return true
    }

    func answered(status: Int, after duration: Duration) {
        state.withLock { state in
            state.underWay -= 1
            state.statuses.append(status)
        }
    }
}
