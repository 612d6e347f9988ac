import API
import EventLoop
import HTTP

/// How many requests were answered, by the class of the status, and how long that took. Those
/// who ask every second how the node is are no clients, and what they hear is no failure. Nor is a
/// 5xx by which one tenant is refused: nobody is to be woken because it has used up its quota.
final class RequestCounts: RequestObserver {
    private struct State {
        var counts = [UInt64](repeating: 0, count: 6)
        var ofTenants: UInt64 = 0
        var seconds = Histogram()
        var underWay = 0
        var slowReaders: UInt64 = 0
    }

    private let state = Lock(State())

    func began(_ request: Request) -> Bool {
        guard !API.healthPaths.contains(where: { request.path == $0 }) else { return false }
        state.withLock { $0.underWay += 1 }
        return true
    }

    func answered(status: Int, isOfTenant: Bool, after duration: Duration) {
        let place = min(max(status / 100, 0), 5)
        let seconds = duration / .seconds(1)
        state.withLock { state in
            state.underWay -= 1
            if isOfTenant { state.ofTenants += 1 } else { state.counts[place] += 1 }
            state.seconds.note(seconds)
        }
    }

    func gaveUpSlowReader() {
        state.withLock { $0.slowReaders += 1 }
    }

    var metrics: [Metric] {
        let all = state.withLock { $0 }
        return [
            Metric(
                "islet_http_requests_total", .counter,
                "Requests answered, by the class of the status, without those for health; a 5xx by "
                    + "which one tenant is refused is of the class tenant.",
                (2...5).map { Metric.Sample([("code", "\($0)xx")], Double(all.counts[$0])) }
                    + [Metric.Sample([("code", "tenant")], Double(all.ofTenants))]),
            .gauge(
                "islet_http_requests_under_way", "Requests that are not answered yet.",
                Double(all.underWay)),
            .histogram(
                "islet_http_request_seconds", "Until a request's answer begins.",
                [([], all.seconds)]),
            .counter(
                "islet_http_slow_readers_total",
                "Connections closed and streams reset because their clients took too little.",
                Double(all.slowReaders)),
        ]
    }
}
