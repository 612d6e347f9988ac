import APNs
import HTTP

/// One request on its way to an answer, over as many attempts as it takes.
///
/// Without a task of its own, which would cost more than the request. Touched only by the client
/// that made it, on its loop's thread.
final class PendingRequest {
    let request: Outgoing
    let lane: WaitingLine.Lane
    let since: ContinuousClock.Instant
    let due: ContinuousClock.Instant
    /// Attempts that the peer certainly did not process.
    var resends = 0
    /// A new provider token was made for it.
    var isRenewed = false
    private let done: Done

    /// - isRenewed: APNs had refused it once, with a token that had expired.
    typealias Done = (_ result: Result<Response, NoAnswer>, _ isRenewed: Bool) -> Void

    init(
        _ request: Outgoing, in lane: WaitingLine.Lane, within deadline: Duration,
        done: @escaping Done
    ) {
        self.request = request
        self.lane = lane
        self.done = done
        since = ContinuousClock.now
        due = since + deadline
    }

    func end(_ result: Result<Response, NoAnswer>) { done(result, isRenewed) }
}

struct Outgoing: Sendable {
    private var method: String
    private var path: String
    private var headers: [PushRequest.Header]
    private var body: [UInt8]

    init(_ push: PushRequest) {
        (method, path, headers, body) = ("POST", push.path, push.headers, push.body)
    }

    init(_ request: BroadcastRequest) {
        method = request.method.rawValue
        (path, headers, body) = (request.path, request.headers, request.body)
    }

    func http(authorization: String) -> Request {
        var fields = Headers()
        fields.reserveCapacity(headers.count + 1)
        fields.append("authorization", authorization)
        for header in headers { fields.append(header.name, header.value) }
        return Request(method: method, target: path, headers: fields, body: body)
    }
}
