import EventLoop
import HTTP
import TLS

/// One HTTP/2 port: hands requests to the simulator and carries out what it wants of connections.
final class Gateway: Sendable {
    private let server: HTTP2Server
    /// The handler's way back to the server it belongs to; emptied at the stop, or the two would
    /// keep each other alive.
    private let wayBack: Lock<HTTP2Server?>

    /// - Parameters:
    ///   - fate: what becomes of a request besides its answer.
    ///   - answer: gets the request and the reason that its fate has for a refusal.
    init(
        host: String, port: Int, loop: EventLoop, tls: TLSContext, needsALPN: Bool,
        withoutALPN: @escaping @Sendable () -> Void,
        fate: @escaping @Sendable (Request) -> RequestFate,
        answer: @escaping @Sendable (Request, APNsRefusal?) -> Response
    ) {
        let wayBack = Lock<HTTP2Server?>(nil)
        var limits = ServerLimits.standard
        limits.bodyBytesMax = Limits.requestBodyBytesMax
        limits.idleTimeoutSeconds = Limits.idleConnectionSecondsMax
        server = HTTP2Server(
            loop: loop, host: host, port: port, tls: tls,
            maxConcurrentStreams: Limits.streamsBeforeProviderToken, limits: limits,
            needsALPN: needsALPN, withoutALPN: withoutALPN,
            rejection: { rejection, request in
                guard rejection.reason == .bodyTooLarge else {
                    return Rejection.problem(rejection, of: request)
                }
                // Nobody has kept it; one that is just too large is answered alike.
                var request = request
                request.body = [UInt8](repeating: 32, count: Limits.broadcastBytesMax + 1)
                return answer(request, nil)
            },
            answering: { request in
                let fate = fate(request)
                if fate == .plain { return .response(answer(request, nil)) }
                return await Self.meet(fate, request, answer) { reason in
                    let server = wayBack.withLock(\.self)
                    server?.sayGoodbye(
                        reason, abandons: fate.abandons, connection: request.connectionID)
                }
            })
        self.wayBack = wayBack
        wayBack.withLock { [server] in $0 = server }
    }

    /// A request waits before it is looked at: one that is given up meanwhile was not taken.
    private static func meet(
        _ fate: RequestFate, _ request: Request,
        _ answer: (Request, APNsRefusal?) -> Response, _ sayGoodbye: (APNsRefusal) -> Void
    ) async -> HTTP2Server.Answer {
        if fate.delaySeconds > 0 {
            try? await Task.sleep(for: .seconds(fate.delaySeconds))
            if Task.isCancelled { return .reset(.cancel) }
        }
        if let reason = fate.farewell { sayGoodbye(reason) }
        guard let loss = fate.loss else { return .response(answer(request, fate.refusal)) }
        if fate.isTaken { _ = answer(request, fate.refusal) }
        switch loss {
        case .connection: return .disconnect
        case .stream: return .reset(.internalError)
        case .refusedStream: return .reset(.refusedStream)
        case .silence:
            // Until the sender gives it up.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return .reset(.cancel)
        }
    }

    func start() async throws(HTTPError) -> Int {
        try await server.start()
    }

    func perform(_ act: World.Effect) {
        switch act {
        case .setStreamLimit(let limit, let connection):
            server.setMaxConcurrentStreams(limit, connection: connection)
        case .disconnect: server.disconnect(nil)
        case .goAway(let reason, let abandons):
            server.sayGoodbye(reason, abandons: abandons, connection: nil)
        case .setReadRate(let rate): server.setReadRate(rate)
        case .observed: break
        }
    }

    func stop(within limit: Duration) async {
        await server.drain(within: limit)
        wayBack.withLock { $0 = nil }
    }
}

extension HTTP2Server {
    /// GOAWAY with Apple's JSON.
    fileprivate func sayGoodbye(_ reason: APNsRefusal, abandons: Bool, connection: UInt64?) {
        goAway(
            connection: connection, body: Array(#"{"reason":"\#(reason.rawValue)"}"#.utf8),
            lastStreamID: abandons ? 0 : nil)
    }
}
