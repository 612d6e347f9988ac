import EventLoop

/// One request of the client and what has come back for it so far.
///
/// `@unchecked Sendable`: made anywhere, then touched only on the connection's loop.
final class HTTP2Exchange: @unchecked Sendable {
    typealias Outcome = Result<Response, HTTPError>

    let request: Request
    let deadlineTicks: Int
    /// 0 until the request is handed to the session.
    var streamID: Int32 = 0
    var deadlineTick = 0
    var bodyBytesSent = 0
    var response = Response(status: 0)
    var responseBody: [UInt8] = []
    var headBytes = 0
    /// The peer ended its side: the response is whole.
    var isAnswered = false
    private var waiter: CheckedContinuation<Outcome, Never>?
    private var isFinished = false

    init(_ request: Request, deadline: Duration) {
        self.request = request
        let milliseconds =
            deadline.components.seconds.multipliedReportingOverflow(by: 1_000).partialValue
            + deadline.components.attoseconds / 1_000_000_000_000_000
        deadlineTicks = Int(clamping: milliseconds) / HTTP2Limits.tickMilliseconds + 1
    }

    /// False when the outcome is known already (the caller gave up before it began).
    func wait(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        if isFinished { return false }
        waiter = continuation
        return true
    }

    func finish(_ outcome: Outcome) {
        isFinished = true
        waiter?.resume(returning: outcome)
        waiter = nil
    }
}
