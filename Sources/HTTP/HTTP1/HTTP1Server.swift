public import EventLoop

/// An HTTP/1.1 server on an event loop; over TLS one that speaks HTTP/2 too.
///
/// Handlers start on the loop's thread; one that does not suspend costs no hop to another.
public final class HTTP1Server: Sendable {
    let core: HTTP1ServerCore
    private let host: String
    private let port: Int
    private let socketMode: UInt32

    /// - Parameters:
    ///   - host: also `unix:` and the path of a Unix-domain socket, which has no port.
    ///   - port: 0 takes any free port.
    ///   - identity: what the server shows over TLS; nil for a server without. Clients that agree
    ///     by ALPN speak HTTP/2, within the same limits.
    ///   - socketMode: permissions of a Unix-domain socket's file.
    ///   - streamsBody: asked with a request's head; true hands its body over as it comes, however
    ///     long, in `bodyStream`.
    ///   - endsWithClient: asked with a request's method and target when its client has closed its
    ///     half of the connection before the answer; true takes the client for gone, and cancels
    ///     the handler.
    ///   - admission: asked with a request's head before its body is taken, unless the body is
    ///     small and came with the head; nil takes everybody's.
    ///   - trustedProxies: whose word on a client's address is believed, and whose own connections
    ///     are not counted as one client's.
    ///   - observer: sees what the handler is given. What the server refuses by itself it does not
    ///     see.
    ///   - onShortage: told on the loop when there is no descriptor for a new connection, and when
    ///     there are some again.
    ///   - rejection: makes the answer to what never reaches the handler, by as much of the request
    ///     as was read; its body must be bytes.
    public init(
        loop: EventLoop, host: String, port: Int, identity: ServerIdentity? = nil,
        socketMode: UInt32 = SocketFile.standardMode, limits: ServerLimits = .standard,
        rejection: @escaping @Sendable (Rejection, Request) -> Response = { rejection, _ in
            Rejection.problem(rejection)
        },
        streamsBody: @escaping @Sendable (Request) -> Bool = { _ in false },
        endsWithClient: @escaping @Sendable (Request) -> Bool = { _ in false },
        admission: Admitter? = nil, trustedProxies: [AddressRange] = [],
        observer: (any RequestObserver)? = nil,
        onShortage: @escaping @Sendable (Bool) -> Void = { _ in },
        handler: @escaping Handler
    ) {
        self.host = host
        self.port = port
        self.socketMode = socketMode
        let intake = Intake(
            limits: limits, admission: admission, streamsBody: streamsBody,
            endsWithClient: endsWithClient, trustedProxies: trustedProxies, observer: observer)
        core = HTTP1ServerCore(
            loop: loop, intake: intake, identity: identity, rejection: rejection,
            onShortage: onShortage, handler: handler)
    }

    /// Starts to listen; once.
    /// - Returns: the port bound.
    public func start() async throws(HTTPError) -> Int {
        try await core.loop.submit { [core, host, port, socketMode] () throws(HTTPError) in
            do throws(NetworkError) {
                return try core.listen(host: host, port: port, socketMode: socketMode)
            } catch {
                throw .cannotListen("\(error)")
            }
        }
    }

    /// Accepts no more connections, lets requests in progress be answered, ends event streams, and
    /// returns when every connection is closed or the time is over; what is left is then cut.
    public func drain(within time: Duration) async {
        let core = core
        await withCheckedContinuation { continuation in
            core.loop.run {
                core.beginDrain(continuation)
                core.loop.schedule(after: time) { core.closeAll() }
            }
        }
    }
}
