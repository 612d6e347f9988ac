import HTTP

extension Response {
    /// Server-Sent Events, chunk by chunk.
    static func events(_ chunks: AsyncStream<[UInt8]>) -> Response {
        var response = Response(
            status: 200,
            headers: [
                "content-type": "text/event-stream", "cache-control": "no-store",
                // nginx gathers a response unless told not to.
                "x-accel-buffering": "no",
            ], body: .stream(chunks))
        response.farewell = ServerSentEvent.farewell(
            retryMillis: Int.random(in: Limits.streamRetryMillis))
        return response
    }
}
