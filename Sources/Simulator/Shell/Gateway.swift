import EventLoop
import HTTP
import TLS

/// One HTTP/2 port: hands requests to the simulator and carries out what it wants of connections.
final class Gateway: Sendable {
    private let server: HTTP2Server
    /// The handler's way back to the server it belongs to; emptied at the stop, or the two would
    /// keep each other alive.
    private let wayBack: Lock<HTTP2Server?>

    /// - Parameter answer: gets the request, and a way to let its connection open more streams.
    init(
        host: String, port: Int, loop: EventLoop, tls: TLSContext,
        answer: @escaping @Sendable (Request, (Int, UInt64) -> Void) -> Response
    ) {
        let wayBack = Lock<HTTP2Server?>(nil)
        var limits = ServerLimits.standard
        limits.bodyBytesMax = Limits.requestBodyBytesMax
        limits.idleTimeoutSeconds = Limits.idleConnectionSecondsMax
        server = HTTP2Server(
            loop: loop, host: host, port: port, tls: tls,
            maxConcurrentStreams: Limits.streamsBeforeProviderToken, limits: limits,
            handler: { request in
                answer(request) { limit, connection in
                    let server = wayBack.withLock { $0 }
                    server?.setMaxConcurrentStreams(limit, connection: connection)
                }
            })
        self.wayBack = wayBack
        wayBack.withLock { [server] in $0 = server }
    }

    func start() async throws(HTTPError) -> Int {
        try await server.start()
    }

    func stop(within limit: Duration) async {
        await server.drain(within: limit)
        wayBack.withLock { $0 = nil }
    }
}
