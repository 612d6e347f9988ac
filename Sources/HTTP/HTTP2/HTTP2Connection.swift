import CNGHTTP2
public import EventLoop
public import TLS

/// The client's side of one HTTP/2 connection over TLS.
///
/// Any number of requests may be sent at once; those beyond the peer's stream limit wait their
/// turn. nghttp2 itself keeps them and lets them go as the limit or the open streams change,
/// so there is no queue of our own here. The connection never reconnects: when `isUsable` turns
/// false, make another.
// @unchecked: touched only on its loop's thread.
public final class HTTP2Connection: @unchecked Sendable {
    /// Bytes of one response's body beyond which the request fails with `HTTPError.tooLarge`.
    public static let responseBytesMaxDefault = 64 * 1024

    package let loop: EventLoop
    let authority: String
    let responseBytesMax: Int
    private let ping: HTTP2Ping
    private let onChange: (@Sendable () -> Void)?
    /// Whether requests are still taken: false after GOAWAY, an error or a close. On the loop only,
    /// as the two below.
    public private(set) var isUsable = false
    /// How many streams the peer allows at present; it may change this at any time.
    public private(set) var peerStreamsMax = 0
    /// The debug data of the peer's GOAWAY, cut to a bound; empty before there is one. APNs puts a
    /// JSON object with a reason there.
    public private(set) var goAwayBody: [UInt8] = []
    private(set) var session: HTTP2Session?
    private(set) var pump: HTTP2Pump?
    var exchanges: [Int32: HTTP2Exchange] = [:]
    /// With replies that are still to be reported.
    private var finished: [HTTP2Exchange] = []
    /// The exchange whose header block is being received.
    var receivingHead: HTTP2Exchange?
    /// Streams are opened in the order of their numbers: those above were never on the wire.
    var lastSentStreamID: Int32 = 0
    /// Set by the peer's GOAWAY: streams above were not and will not be processed.
    var lastProcessedStreamID: Int32?
    var unansweredPingMillis: UInt64?
    var lastReceivedMillis: UInt64 = 0
    /// Since when there have been requests under way without a break.
    private var busySinceMillis: UInt64 = 0
    private var block = HTTP2HeaderBlock()
    private var ticker: LoopTimer?
    private var onReady: ((HTTPError?) -> Void)?

    private init(
        loop: EventLoop, authority: String, responseBytesMax: Int, ping: HTTP2Ping,
        onChange: (@Sendable () -> Void)?
    ) {
        self.loop = loop
        self.authority = authority
        self.responseBytesMax = responseBytesMax
        self.ping = ping
        self.onChange = onChange
    }

    /// Opens a connection: an uncached look-up of the host (or of the proxy, which then looks up
    /// the host), TLS with the certificate checked against `host`, HTTP/2 by ALPN, and the peer's
    /// first settings.
    /// - Parameters:
    ///   - timeout: for all of that together.
    ///   - onChange: called on the loop after `isUsable` or `peerStreamsMax` have changed; must
    ///     not use the connection in the same iteration.
    /// - Throws: `HTTPError.cannotConnect`, `.tls`, `.connectionClosed`, `.deadlineExceeded`.
    public static func connect(
        loop: EventLoop, host: String, port: Int, tls: TLSContext, timeout: Duration,
        responseBytesMax: Int = responseBytesMaxDefault, proxy: HTTPProxy? = nil,
        ping: HTTP2Ping = .standard, onChange: (@Sendable () -> Void)? = nil
    ) async throws(HTTPError) -> HTTP2Connection {
        let connection = HTTP2Connection(
            loop: loop, authority: authority(host: host, port: port),
            responseBytesMax: responseBytesMax, ping: ping, onChange: onChange)
        let failure = await withCheckedContinuation { continuation in
            loop.run {
                HTTP2Dialer(connection, timeout: timeout) { continuation.resume(returning: $0) }
                    .dial(host: host, port: port, through: proxy, tls: tls)
            }
        }
        if let failure { throw failure }
        return connection
    }

    private static func authority(host: String, port: Int) -> String {
        port == 443 ? name(host: host) : "\(name(host: host)):\(port)"
    }

    /// As it stands before a port: addresses of IPv6 in brackets.
    static func name(host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    }

    /// Sends one request, without a task and the cost of one. On the loop only.
    /// - Parameters:
    ///   - request: needs no `host` field; its `target` becomes `:path`.
    ///   - deadline: for everything, the wait for a free stream included.
    ///   - done: called there exactly once, after this has returned, with the whole response, whose
    ///     body is always `.bytes`. Or with `.goingAway` when the peer did not and will not process
    ///     the request, which can go elsewhere at once; `.unsentInTime` when no stream came free;
    ///     `.connectionClosed`, `.deadlineExceeded` and `.streamReset` when it may have been
    ///     processed (`HTTPError.isSafeToResend` tells); `.tooLarge` for the response.
    public func send(
        _ request: Request, deadline: Duration,
        done: @escaping (Result<Response, HTTPError>) -> Void
    ) {
        let exchange = HTTP2Exchange(request, done)
        guard isUsable, let session else { return finish(exchange, .failure(.goingAway)) }
        block.removeAll()
        block.append(":method", request.method)
        block.append(":scheme", "https")
        block.append(":authority", authority)
        block.append(":path", request.target)
        block.append(request.headers)
        let hasBody = !request.body.isEmpty
        let streamID = block.withFields { fields, count in
            guard hasBody else {
                return nghttp2_submit_request(session.pointer, nil, fields, count, nil, nil)
            }
            var provider = nghttp2_data_provider()
            provider.read_callback = Self.readBody
            return nghttp2_submit_request(session.pointer, nil, fields, count, &provider, nil)
        }
        guard streamID > 0 else {
            // The numbers are used up: more than a billion requests on one connection.
            retire()
            return finish(exchange, .failure(.goingAway))
        }
        exchange.streamID = streamID
        // The loop's clock is cut off to whole milliseconds: one more, so as never to be early.
        exchange.dueMillis = loop.nowMillis + deadline.millis + 1
        if exchanges.isEmpty { busySinceMillis = loop.nowMillis }
        exchanges[streamID] = exchange
        pump?.scheduleFlush()
    }

    /// Takes no more requests and closes once those under way are answered.
    public func retire() {
        // In force before a caller on the loop looks for another connection.
        loop.runAtOnce {
            self.setUsable(false)
            self.closeIfRetired()
        }
    }

    /// Closes now. Requests under way fail with `.connectionClosed`.
    public func close() async {
        await loop.submit { self.close(.connectionClosed) }
    }

    // MARK: On the loop

    /// - Parameter onReady: called once, when the peer's first settings are in force or when it
    ///   comes to nothing.
    func start(_ socket: Socket, _ tls: TLSFilter, onReady: @escaping (HTTPError?) -> Void) {
        self.onReady = onReady
        let session = HTTP2Session(
            .client, userData: Unmanaged.passUnretained(self).toOpaque(),
            register: Self.register)
        socket.readBytesMax = HTTP2Limits.answerBytesReadMax
        let pump = HTTP2Pump(
            loop: loop, socket: socket, tls: tls, session: session, owner: self)
        self.session = session
        self.pump = pump
        lastReceivedMillis = loop.nowMillis
        session.submit(settings: [
            (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HTTP2Limits.responseHeadBytesMax),
        ])
        session.widenConnectionWindow()
        pump.start()
    }

    /// Gives up on a request and tells the peer, if the peer knows it.
    func abandon(_ exchange: HTTP2Exchange, _ error: HTTPError) {
        if receivingHead === exchange { receivingHead = nil }
        if exchanges.removeValue(forKey: exchange.streamID) != nil {
            session?.reset(stream: exchange.streamID, code: .cancel)
            pump?.scheduleFlush()
        }
        finish(exchange, .failure(error))
    }

    /// The caller gets the reply when the session is done with what it received, because it may
    /// send the next request or retire the connection at once.
    func finish(_ exchange: HTTP2Exchange, _ reply: HTTP2Exchange.Reply) {
        guard exchange.settle(reply) else { return }
        finished.append(exchange)
        if finished.count == 1 { loop.run { self.tellFinished() } }
    }

    private func tellFinished() {
        var ended: [HTTP2Exchange] = []
        swap(&ended, &finished)
        for exchange in ended { exchange.tell() }
    }

    /// Whether the peer may have begun to process the request.
    func wasSent(_ exchange: HTTP2Exchange) -> Bool {
        exchange.streamID <= lastSentStreamID
    }

    /// The peer's settings are in force.
    func settingsArrived() {
        guard let session else { return }
        peerStreamsMax = Int(
            nghttp2_session_get_remote_settings(
                session.pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
        guard let onReady else {
            onChange?()
            return
        }
        self.onReady = nil
        setUsable(true)
        tick()
        onReady(nil)
    }

    func setUsable(_ value: Bool) {
        guard isUsable != value else { return }
        isUsable = value
        if !value { onChange?() }
    }

    /// The peer takes no more. What it has not seen can go elsewhere at once.
    func goAwayArrived(lastStreamID: Int32, body: UnsafeBufferPointer<UInt8>) {
        lastProcessedStreamID = min(lastStreamID, lastProcessedStreamID ?? .max)
        setUsable(false)
        goAwayBody = Array(body.prefix(HTTP2Limits.goAwayBodyBytesMax))
        for exchange in exchanges.values where !wasSent(exchange) {
            exchanges[exchange.streamID] = nil
            finish(exchange, .failure(.goingAway))
        }
    }

    func closeIfRetired() {
        if !isUsable, onReady == nil, exchanges.isEmpty { close(.connectionClosed) }
    }

    func close(_ error: HTTPError) {
        guard let session, let pump, !pump.isEnded else { return }
        nghttp2_session_terminate_session(session.pointer, HTTP2ErrorCode.noError.rawValue)
        pump.flushThenEnd(error)
    }

    // MARK: Time

    private func tick() {
        ticker = loop.schedule(after: .milliseconds(HTTP2Limits.tickMillis)) {
            self.tick()
        }
        let now = loop.nowMillis
        var isPeerSilent = false
        for exchange in exchanges.values where exchange.dueMillis <= now {
            let wasSent = wasSent(exchange)
            isPeerSilent = isPeerSilent || wasSent
            abandon(exchange, wasSent ? .deadlineExceeded : .unsentInTime)
        }
        closeIfRetired()
        if let unansweredPingMillis {
            // Other frames show just as well that the peer lives.
            let silentSince = max(unansweredPingMillis, lastReceivedMillis)
            if now > silentSince + ping.timeout.millis { pump?.abort(.connectionClosed) }
            return
        }
        // A request that ran into its deadline may be the first sign of a dead connection.
        if isPeerSilent || now > silenceDueMillis { sendPing(now) }
    }

    private var silenceDueMillis: UInt64 {
        exchanges.isEmpty
            ? lastReceivedMillis + ping.afterSilence.millis
            : max(lastReceivedMillis, busySinceMillis) + ping.whileWaiting.millis
    }

    private func sendPing(_ now: UInt64) {
        guard let session else { return }
        unansweredPingMillis = now
        nghttp2_submit_ping(session.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
        pump?.scheduleFlush()
    }
}

extension HTTP2Connection: HTTP2PumpOwner {
    func pumpDidEstablish() {}

    func pumpMayReceive() -> Bool { true }

    func pumpDidHold() {}

    func pumpDidReceive() {
        lastReceivedMillis = loop.nowMillis
        tellFinished()
        closeIfRetired()
    }

    func pumpDidEnd(_ error: HTTPError) {
        setUsable(false)
        ticker?.cancel()
        ticker = nil
        let open = exchanges.values
        exchanges = [:]
        for exchange in open {
            finish(exchange, .failure(wasSent(exchange) ? error : .goingAway))
        }
        onReady?(error)
        onReady = nil
    }

    func pumpDidRelease() {}
}
