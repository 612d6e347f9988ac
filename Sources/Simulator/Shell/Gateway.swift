import EventLoop
import HTTP
import TLS

/// The HTTP/2 side: hands requests to the simulator and carries out what it wants of connections.
final class Gateway: Sendable {
    private let server: HTTP2Server
    /// The handler's way back to the server it belongs to; emptied at the stop, or the two would
    /// keep each other alive.
    private let wayBack: Lock<HTTP2Server?>

    init(_ simulator: Simulator, loop: EventLoop, tls: TLSContext) {
        let wayBack = Lock<HTTP2Server?>(nil)
        var limits = ServerLimits.standard
        limits.bodyBytesMax = Limits.requestBodyBytesMax
        limits.idleTimeoutSeconds = Limits.idleConnectionSecondsMax
        server = HTTP2Server(
            loop: loop, host: simulator.configuration.host,
            port: simulator.configuration.apnsPort, tls: tls,
            maxConcurrentStreams: Limits.streamsBeforeProviderToken, limits: limits,
            handler: { request in
                simulator.answer(request) { limit, connection in
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
