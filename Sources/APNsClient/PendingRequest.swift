import APNs
import HTTP

/// One request on its way to an answer, over as many attempts as it takes.
///
/// Without a task of its own, which would cost more than the request. Touched only by the client
/// that made it, on its loop's thread.
final class PendingRequest {
    let request: APNsRequest
    let batchSize: RequestQueue.BatchSize
    let since: ContinuousClock.Instant
    let deadline: ContinuousClock.Instant
    /// Attempts that the peer certainly did not process.
    var resends = 0
    /// A new provider token was made for it.
    var isRenewed = false
    private let done: Done

    /// - isRenewed: APNs had refused it once, with a token that had expired.
    typealias Done = (_ result: PushResult, _ isRenewed: Bool) -> Void

    init(
        _ request: APNsRequest, of batchSize: RequestQueue.BatchSize, within timeout: Duration,
        done: @escaping Done
    ) {
        self.request = request
        self.batchSize = batchSize
        self.done = done
        since = ContinuousClock.now
        deadline = since + timeout
    }

    func end(_ result: PushResult) { done(result, isRenewed) }
}

extension APNsRequest {
    func http(authorization: String) -> Request {
        var fields = Headers()
        fields.reserveCapacity(headers.count + 1)
        fields.append("authorization", authorization)
        for header in headers { fields.append(header.name, header.value) }
        return Request(method: method.rawValue, target: path, headers: fields, body: body)
    }
}
