import CNGHTTP2
public import EventLoop
public import TLS

/// An HTTP/2 server over TLS, for clients that offer `h2` by ALPN.
public final class HTTP2Server: Sendable {
    /// What becomes of one request.
    public enum Answer: Sendable {
        case response(Response)
        /// The stream is reset, without a response.
        case reset(HTTP2ErrorCode)
        /// The connection is dropped without a word, and with it all its streams.
        case disconnect
    }

    private let core: HTTP2ServerCore
    private let host: String
    private let port: Int

    /// - Parameters:
    ///   - port: 0 for any that is free.
    ///   - maxConcurrentStreams: what each connection begins with.
    ///   - handler: runs on the loop; it must never block. Cancelled when its stream ends early.
    public convenience init(
        loop: EventLoop, host: String, port: Int, tls: TLSContext, maxConcurrentStreams: Int = 100,
        handler: @escaping Handler
    ) {
        self.init(
            loop: loop, host: host, port: port, tls: tls,
            maxConcurrentStreams: maxConcurrentStreams,
            answering: { .response(await handler($0)) })
    }

    /// As the other, for a server that must be able to misbehave, such as a simulator.
    /// - Parameters:
    ///   - needsALPN: clients that offer no protocol are sent away. Some of APNs' do not.
    ///   - withoutALPN: hears of each connection that is let in anyway.
    ///   - rejection: answers requests that no handler gets to see, by as much of the request as
    ///     was read, without its body.
    public init(
        loop: EventLoop, host: String, port: Int, tls: TLSContext, maxConcurrentStreams: Int = 100,
        limits: ServerLimits = .standard, needsALPN: Bool = true,
        withoutALPN: @escaping @Sendable () -> Void = {},
        rejection: @escaping @Sendable (Rejection, Request) -> Response = { rejection, _ in
            Rejection.problem(rejection)
        },
        answering: @escaping @Sendable (Request) async -> Answer
    ) {
        self.host = host
        self.port = port
        core = HTTP2ServerCore(
            loop: loop, tls: tls, intake: Intake(limits: limits),
            maxConcurrentStreams: maxConcurrentStreams, needsALPN: needsALPN,
            withoutALPN: withoutALPN, rejection: rejection,
            handler: answering)
    }

    /// Begins to accept connections and returns the port.
    /// - Throws: `HTTPError.cannotListen`.
    public func start() async throws(HTTPError) -> Int {
        try await core.loop.submit { [core, host, port] () throws(HTTPError) in
            try core.listen(host: host, port: port)
        }
    }

    /// Stops accepting, sends GOAWAY, waits for requests under way, then drops what is left.
    public func drain(within limit: Duration) async {
        let core = core
        await withCheckedContinuation { continuation in
            core.loop.run {
                core.beginDraining()
                core.waitUntilEmpty(continuation, within: limit)
            }
        }
    }

    /// Changes how many streams one connection may have open; in force when the client has seen it.
    /// - Parameter connection: `Request.connectionID`; one that is gone is ignored.
    public func setMaxConcurrentStreams(_ count: Int, connection: UInt64) {
        onLoop {
            $0.connections[connection]?.change(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, to: count)
        }
    }

    /// Likewise, how much of a body each stream may carry before the server asks for more.
    public func setStreamWindow(_ bytes: Int, connection: UInt64) {
        onLoop {
            $0.connections[connection]?.change(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, to: bytes)
        }
    }

    /// Tells the client to open no more streams here; the connection closes when those it has open
    /// are answered.
    /// - Parameters:
    ///   - connection: nil for all.
    ///   - body: goes out as the frame's debug data.
    ///   - lastStreamID: streams above it are abandoned as not processed; nil abandons none.
    public func goAway(connection: UInt64?, body: [UInt8] = [], lastStreamID: Int32? = nil) {
        onLoop {
            for connection in $0.connections(connection) {
                connection.goAway(body: body, lastStreamID: lastStreamID)
            }
        }
    }

    /// Drops one connection without a word.
    /// - Parameter connection: nil for all.
    public func disconnect(_ connection: UInt64?) {
        core.loop.run { [core] in
            for connection in core.connections(connection) { connection.disconnect() }
        }
    }

    /// Reads no faster than that from each connection, those to come included.
    /// - Parameter bytesPerSecond: of ciphertext; nil for as fast as possible.
    public func setReadRate(_ bytesPerSecond: Int?) {
        onLoop { $0.setReadRate(bytesPerSecond) }
    }

    /// At once when called on the loop, as from a handler, so that the order of frames is that of
    /// the calls.
    private func onLoop(_ work: @escaping @Sendable (HTTP2ServerCore) -> Void) {
        core.loop.runAtOnce { [core] in work(core) }
    }
}
