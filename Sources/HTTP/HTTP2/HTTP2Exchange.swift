import EventLoop

/// One request of the client and what has come back for it so far.
///
/// `@unchecked Sendable`: made anywhere, then touched only on the connection's loop.
final class HTTP2Exchange: @unchecked Sendable {
    typealias Outcome = Result<Response, HTTPError>

    let request: Request
    /// From the moment the connection's loop gets hold of it, time in the queue included.
    let deadlineMillis: UInt64
    /// 0 until the request is handed to the session, and never again after the outcome is known.
    var streamID: Int32 = 0
    /// On the loop's clock.
    var dueMillis: UInt64 = 0
    var bodyBytesSent = 0
    var response = Response(status: 0)
    var responseBody: [UInt8] = []
    var headBytes = 0
    /// The peer ended its side: the response is whole.
    var isAnswered = false
    /// The first one counts.
    private(set) var outcome: Outcome?
    /// Resumed exactly once, when there is an outcome; it carries no value, so that the response is
    /// not copied on the way.
    private var waiter: UnsafeContinuation<Void, Never>?

    init(_ request: Request, deadline: Duration) {
        self.request = request
        deadlineMillis = deadline.millis
    }

    /// False when the outcome is known already, because the caller gave up before it began.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        if outcome != nil {
            continuation.resume()
            return false
        }
        waiter = continuation
        return true
    }

    func finish(_ outcome: Outcome) {
        if self.outcome != nil { return }
        self.outcome = outcome
        waiter?.resume()
        waiter = nil
    }
}

extension Duration {
    /// Whole milliseconds, cut off; none when negative, some weeks when there are too many.
    var millis: UInt64 {
        let (seconds, attoseconds) = components
        let (millis, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow
            ? UInt64(Int32.max) : UInt64(max(0, millis + attoseconds / 1_000_000_000_000_000))
    }
}
