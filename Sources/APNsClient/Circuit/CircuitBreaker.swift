import EventLoop

/// Keeps requests from waiting for a host that does not answer: a machine without clock or chance.
///
/// Closed, connections are opened, after a failure with a pause before. Open, after so many
/// failures without a success, none is, and requests fail at once. When its time is over it is
/// half-open: one attempt goes, and what becomes of it closes or opens it again.
struct CircuitBreaker {
    typealias Instant = ContinuousClock.Instant

    enum State: Hashable {
        case closed
        case open(until: Instant)
        /// Half-open, with its one attempt under way; should nobody report about that, another one
        /// may go in the end.
        case probing(until: Instant)
    }

    enum Permit: Hashable {
        case connect(after: Duration)
        case refused
    }

    enum Change: Hashable {
        case opened(failures: Int)
        case closed
    }

    private(set) var state = State.closed
    private let failuresMax: Int
    private let probePatience: Duration
    private var backoff: Backoff
    private var lastFailureAt: Instant?
    private var notBefore: Instant?

    /// - Parameters:
    ///   - failuresMax: failures in a row that open it.
    ///   - probePatience: how long to wait for news of the one attempt.
    init(_ backoff: Backoff, failuresMax: Int, probePatience: Duration) {
        self.backoff = backoff
        self.failuresMax = failuresMax
        self.probePatience = probePatience
    }

    var failures: Int { backoff.failures }

    /// Whether a request that needs a new connection fails at once.
    func refuses(at now: Instant) -> Bool {
        switch state {
        case .closed: false
        case .open(let until), .probing(let until): now < until
        }
    }

    /// Whether and when to connect. The first to ask while it is half-open is the one attempt.
    mutating func permit(at now: Instant) -> Permit {
        if refuses(at: now) { return .refused }
        guard state == .closed else {
            state = .probing(until: now + probePatience)
            return .connect(after: .zero)
        }
        return .connect(after: max(.zero, (notBefore ?? now) - now))
    }

    /// A first request on a new connection was answered.
    mutating func succeeded() -> Change? {
        backoff.succeeded()
        notBefore = nil
        guard state != .closed else { return nil }
        state = .closed
        return .closed
    }

    /// - Parameters:
    ///   - begunAt: when the attempt began. Attempts that were under way together when the last
    ///     failure became known are one failure, however many clients there are.
    ///   - jitter: from 0 up to 1.
    mutating func failed(begunAt: Instant, at now: Instant, jitter: Double) -> Change? {
        if case .open = state { return nil }
        if let lastFailureAt, begunAt < lastFailureAt { return nil }
        lastFailureAt = now
        backoff.failed()
        let next = now + backoff.delay(jitter: jitter)
        if case .probing = state {
            state = .open(until: next)
            return nil
        }
        guard failures >= failuresMax else {
            notBefore = next
            return nil
        }
        state = .open(until: next)
        return .opened(failures: failures)
    }
}
