/// One request of the client and what has come back for it so far. Loop-bound.
final class HTTP2Exchange {
    typealias Reply = Result<Response, HTTPError>

    let request: Request
    /// 0 until the request is handed to the session, and never again after the reply is known.
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
    private var reply: Reply?
    /// The caller, which waits for the reply.
    private var done: ((Reply) -> Void)?

    /// - Parameter done: called once, with the reply.
    init(_ request: Request, _ done: @escaping (Reply) -> Void) {
        self.request = request
        self.done = done
    }

    /// - Returns: false when there was a reply before: the first one counts.
    func settle(_ reply: Reply) -> Bool {
        if self.reply != nil { return false }
        self.reply = reply
        return true
    }

    func tell() {
        guard let reply, let done else { return }
        self.done = nil
        done(reply)
    }
}

extension Duration {
    /// Whole milliseconds, cut off; none when negative, and no more than can be added to a clock.
    var millis: UInt64 {
        UInt64(min(max(0, attoseconds / 1_000_000_000_000_000), Int128(Int64.max / 2)))
    }
}
