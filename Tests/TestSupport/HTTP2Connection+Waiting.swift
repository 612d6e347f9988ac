import EventLoop
public import HTTP

extension HTTP2Connection {
    /// Sends one request and waits for its whole response.
    public func send(
        _ request: Request, deadline: Duration
    ) async throws(HTTPError) -> Response {
        let outcome: Result<Response, HTTPError> = await withCheckedContinuation { continuation in
            loop.runAtOnce {
                self.send(request, deadline: deadline) { continuation.resume(returning: $0) }
            }
        }
        return try outcome.get()
    }
}
