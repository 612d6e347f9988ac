import APNs
import EventLoop

/// The circuit breakers of all hosts, shared by the clients that talk to the same ones: what one
/// of them finds out about a host spares the others the wait.
public final class Circuits: Sendable {
    public enum Diagnostic: Hashable, Sendable {
        /// - `failures`: to connect, one after the other; `reason` is that of the last one.
        case opened(APNsEndpoint, failures: Int, reason: String)
        case closed(APNsEndpoint)
    }

    private struct Circuit {
        var breaker: CircuitBreaker
        var lastReason = ""
    }

    private let circuits = Lock<[APNsEndpoint: Circuit]>([:])
    private let report: @Sendable (Diagnostic) -> Void

    /// - Parameter report: called once when a breaker opens and once when it closes again.
    public init(report: @escaping @Sendable (Diagnostic) -> Void = { _ in }) {
        self.report = report
    }

    /// - Returns: nil when a request may wait for a new connection.
    func refusal(of endpoint: APNsEndpoint) -> PushResult? {
        circuits.withLock { circuits in
            guard let circuit = circuits[endpoint],
                circuit.breaker.refuses(at: ContinuousClock.now)
            else { return nil }
            return .unsent(
                "not sent: the circuit breaker for \(endpoint.host):\(endpoint.port) is open "
                    + "after \(circuit.breaker.failures) failures, the last of them: "
                    + circuit.lastReason)
        }
    }

    /// Whether the breaker of each host that was ever connected to is open, by `host:port`.
    public var states: [(host: String, isOpen: Bool)] {
        circuits.withLock { circuits in
            circuits.map { ("\($0.key.host):\($0.key.port)", $0.value.breaker.state != .closed) }
        }.sorted { $0.0 < $1.0 }
    }

    func permit(to endpoint: APNsEndpoint, _ timing: APNsTiming) -> CircuitBreaker.Permit {
        change(endpoint, timing) { $0.breaker.permit(at: ContinuousClock.now) }
    }

    func succeeded(_ endpoint: APNsEndpoint, _ timing: APNsTiming) {
        if change(endpoint, timing, { $0.breaker.succeeded() }) != nil {
            report(.closed(endpoint))
        }
    }

    func failed(
        _ endpoint: APNsEndpoint, _ timing: APNsTiming, begunAt: ContinuousClock.Instant,
        jitter: Double, reason: String
    ) {
        let change = change(endpoint, timing) { circuit in
            circuit.lastReason = reason
            return circuit.breaker.failed(
                begunAt: begunAt, at: ContinuousClock.now, jitter: jitter)
        }
        if case .opened(let failures) = change {
            report(.opened(endpoint, failures: failures, reason: reason))
        }
    }

    private func change<R>(
        _ endpoint: APNsEndpoint, _ timing: APNsTiming, _ body: (inout Circuit) -> R
    ) -> R {
        circuits.withLock { circuits in
            let breaker = CircuitBreaker(
                Backoff(from: timing.reconnectDelayMin, to: timing.reconnectDelayMax),
                failuresMax: Limits.circuitFailuresMax,
                probePatience: timing.connectTimeout + timing.pushDeadline)
            return body(&circuits[endpoint, default: Circuit(breaker: breaker)])
        }
    }
}
