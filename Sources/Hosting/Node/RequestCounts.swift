import API
import EventLoop
import HTTP

/// How many requests were answered, by the class of the status.
final class RequestCounts: Sendable {
    private let counts = Lock([UInt64](repeating: 0, count: 6))

    init() {}

    /// The same handler, counted.
    func counting(_ handler: @escaping Handler) -> Handler {
        { [self] request in
            let response = await handler(request)
            let place = min(max(response.status / 100, 0), 5)
            counts.withLock { $0[place] += 1 }
            return response
        }
    }

    var metric: Metric {
        let all = counts.withLock { $0 }
        return Metric(
            "islet_http_requests_total", .counter,
            "Requests answered, by the class of the status.",
            (2...5).map { Metric.Sample([("code", "\($0)xx")], Double(all[$0])) })
    }
}
