/// One request of the client and what has come back for it so far. Loop-bound.
final class HTTP2Exchange {
    typealias Outcome = Result<Response, HTTPError>

    let request: Request
    /// 0 until the request is handed to the session, and never again after the outcome is known.
    var streamID: Int32 = 0
    /// On the loop's clock.
    var dueMillis: UInt64 = 0
    var bodyBytesSent = 0
    var response = Response(status: 0)
    /// `HTTP2Connection.responseBytesMax` at most, and the header fields in `response`
    /// `HTTP2Limits.responseHeadBytesMax`.
    var responseBody: [UInt8] = []
    var headBytes = 0
    /// The peer ended its side: the response is whole.
    var isAnswered = false
    private var outcome: Outcome?
    /// The caller, which waits for the outcome.
    private var done: ((Outcome) -> Void)?

    /// - Parameter done: called once, with the outcome.
    init(_ request: Request, _ done: @escaping (Outcome) -> Void) {
        self.request = request
        self.done = done
    }

    /// - Returns: false when there was an outcome before: the first one counts.
    func settle(_ outcome: Outcome) -> Bool {
        if self.outcome != nil { return false }
        self.outcome = outcome
        return true
    }

    func tell() {
        guard let outcome, let done else { return }
        self.done = nil
        done(outcome)
    }
}

extension Duration {
    /// Whole milliseconds, cut off; none when negative, and no more than can be added to a clock.
    var millis: UInt64 {
        UInt64(min(max(0, attoseconds / 1_000_000_000_000_000), Int128(Int64.max / 2)))
    }
}
