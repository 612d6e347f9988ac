public import EventLoop
public import TLS

/// The client's side of one HTTP/2 connection over TLS.
///
/// Any number of tasks may send at once; requests beyond the peer's stream limit wait their turn.
/// The connection never reconnects: when `isUsable` turns false, make another.
public final class HTTP2Connection: Sendable {
    /// Bytes of one response's body beyond which the request fails with `HTTPError.tooLarge`.
    public static let responseBytesMaxDefault = 64 * 1024

    private let core: HTTP2ClientCore

    private init(core: HTTP2ClientCore) {
        self.core = core
    }

    /// Opens a connection: an uncached look-up of the host (or of the proxy, which then looks up
    /// the host), TLS with the certificate checked against `host`, HTTP/2 by ALPN, and the peer's
    /// first settings.
    /// - Parameters:
    ///   - timeout: for all of that together.
    ///   - onChange: called on the loop after `isUsable` or `peerStreamsMax` have changed; must
    ///     not use the connection in the same turn.
    /// - Throws: `HTTPError.cannotConnect`, `.tls`, `.connectionClosed`, `.deadlineExceeded`.
    public static func connect(
        loop: EventLoop, host: String, port: Int, tls: TLSContext, timeout: Duration,
        responseBytesMax: Int = responseBytesMaxDefault, proxy: HTTPProxy? = nil,
        ping: HTTP2Ping = .standard, onChange: (@Sendable () -> Void)? = nil
    ) async throws(HTTPError) -> HTTP2Connection {
        let core = HTTP2ClientCore(
            loop: loop, authority: authority(host: host, port: port),
            responseBytesMax: responseBytesMax, ping: ping, onChange: onChange)
        let failure = await withCheckedContinuation { continuation in
            loop.run {
                HTTP2Dialer(core: core, timeout: timeout) { continuation.resume(returning: $0) }
                    .dial(host: host, port: port, through: proxy, tls: tls)
            }
        }
        if let failure { throw failure }
        return HTTP2Connection(core: core)
    }

    private static func authority(host: String, port: Int) -> String {
        port == 443 ? name(host: host) : "\(name(host: host)):\(port)"
    }

    /// As it stands before a port: addresses of IPv6 in brackets.
    static func name(host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }

    /// Sends one request and waits for its whole response, whose body is always `.bytes`.
    ///
    /// A cancelled task resets its stream and throws `.streamReset` with the code for "cancel".
    /// - Parameters:
    ///   - request: needs no `host` field; its `target` becomes `:path`.
    ///   - deadline: for everything, the wait for a free stream included.
    /// - Throws: `.goingAway` when the peer did not and will not process the request, which can go
    ///   elsewhere at once; `.unsentInTime` when no stream came free;
    ///   `.connectionClosed`, `.deadlineExceeded` and `.streamReset` when it may have been
    ///   processed (`HTTPError.isSafeToResend` tells); `.tooLarge` for the response.
    public func send(
        _ request: Request, deadline: Duration
    ) async throws(HTTPError) -> Response {
        let exchange = HTTP2Exchange(request, deadline: deadline)
        let core = core
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                core.loop.runAtOnce {
                    core.begin(exchange) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            core.loop.run {
                core.abandon(
                    exchange, .streamReset(code: HTTP2ErrorCode.cancel.rawValue))
            }
        }
        return try outcome.get()
    }

    /// As the other, without a task and the cost of one. On the loop only.
    /// - Parameter done: called there exactly once, after this has returned.
    public func send(
        _ request: Request, deadline: Duration,
        done: @escaping (Result<Response, HTTPError>) -> Void
    ) {
        core.begin(HTTP2Exchange(request, deadline: deadline), done)
    }

    /// Whether requests are still taken: false after GOAWAY, an error or a close.
    public var isUsable: Bool {
        core.shared.withLock { $0.isUsable }
    }

    /// How many streams the peer allows at present; it may change this at any time.
    public var peerStreamsMax: Int {
        core.shared.withLock { $0.peerStreamsMax }
    }

    /// The debug data of the peer's GOAWAY; APNs puts a JSON object with a reason there.
    public var goAwayBody: [UInt8] {
        core.shared.withLock { $0.goAwayBody }
    }

    /// Takes no more requests and closes once those under way are answered.
    public func retire() {
        // In force before a caller on the loop looks for another connection.
        core.loop.runAtOnce { [core] in core.retire() }
    }

    /// Closes now. Requests under way fail with `.connectionClosed`.
    public func close() async {
        await core.loop.submit { [core] in core.close(.connectionClosed) }
    }
}
