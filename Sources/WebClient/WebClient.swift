import CCurl
public import EventLoop

/// Sends requests to servers of other people, by libcurl on an event loop: connections are kept and
/// used again, redirects are not followed, and no address is asked that is not public.
// @unchecked: everything but `loop` and `options` is touched on the loop's thread only.
public final class WebClient: @unchecked Sendable {
    public struct Options: Sendable {
        /// Addresses of this machine and its network may be asked too, and without TLS.
        public var allowsPrivate: Bool
        /// Certificate authorities to trust, in PEM, instead of the system's.
        public var authorityFile: String?

        public init(allowsPrivate: Bool = false, authorityFile: String? = nil) {
            self.allowsPrivate = allowsPrivate
            self.authorityFile = authorityFile
        }
    }

    private let loop: EventLoop
    private let options: Options
    private var multi: UnsafeMutableRawPointer?
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var watches: [curl_socket_t: DescriptorWatch] = [:]
    private var timer: LoopTimer?
    private var isClosed = false

    /// What a caller can cancel a request by, before it has begun as well. On the loop only.
    // @unchecked: touched on the loop's thread only.
    private final class Ticket: @unchecked Sendable {
        var easy: UnsafeMutableRawPointer?
        var isCancelled = false
    }

    /// Connects to nobody yet.
    public init(loop: EventLoop, options: Options = Options()) {
        _ = Self.prepareCurl
        self.loop = loop
        self.options = options
    }

    private static let prepareCurl: Void = {
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        precondition(code == CURLE_OK, "curl_global_init failed with \(code.rawValue)")
    }()

    /// Never takes longer than the request's deadline.
    public func post(_ request: WebRequest) async -> WebAnswer {
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.run { self.begin(ticket, request) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.run { self.cancel(ticket) }
        }
    }

    /// Requests under way fail as cancelled.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.run {
                self.isClosed = true
                for easy in Array(self.transfers.keys) { self.remove(easy)?.cancel() }
                if let multi = self.multi { curl_multi_cleanup(multi) }
                self.multi = nil
                self.timer?.cancel()
                for watch in self.watches.values { watch.cancel() }
                self.watches = [:]
                continuation.resume()
            }
        }
    }
}

// MARK: - On the loop

extension WebClient {
    private func begin(
        _ ticket: Ticket, _ request: WebRequest, _ finish: @escaping (WebAnswer) -> Void
    ) {
        guard !isClosed, !ticket.isCancelled else { return finish(.failed(.cancelled)) }
        guard let transfer = Transfer(request, options, finish), let multi = multi ?? open() else {
            return finish(.failed(.broken))
        }
        ticket.easy = transfer.easy
        transfers[transfer.easy] = transfer
        // Begins by setting the timer.
        curl_multi_add_handle(multi, transfer.easy)
    }

    private func cancel(_ ticket: Ticket) {
        ticket.isCancelled = true
        if let easy = ticket.easy { remove(easy)?.cancel() }
    }

    private func remove(_ easy: UnsafeMutableRawPointer) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: easy) else { return nil }
        if let multi { curl_multi_remove_handle(multi, easy) }
        return transfer
    }

    private func open() -> UnsafeMutableRawPointer? {
        guard let multi = curl_multi_init() else { return nil }
        let me = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Limits.connectionsKeptMax)
        ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, Limits.connectionsPerHostMax)
        ccurl_multi_set_timer(
            multi,
            { _, millis, client in
                client.map { WebClient.from($0).wait(millis) }
                return 0
            }, me)
        ccurl_multi_set_socket(
            multi,
            { easy, socket, what, client, _ in
                client.map { WebClient.from($0).watch(socket, what, for: easy) }
                return 0
            }, me)
        self.multi = multi
        return multi
    }

    private static func from(_ pointer: UnsafeMutableRawPointer) -> WebClient {
        Unmanaged<WebClient>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// - Parameter millis: -1 for no time.
    private func wait(_ millis: Int) {
        timer?.cancel()
        timer = nil
        guard millis >= 0 else { return }
        // Never at once: curl must not be called from its own callback.
        timer = loop.schedule(after: .milliseconds(millis)) { [weak self] in
            self?.timer = nil
            self?.act(CURL_SOCKET_TIMEOUT, 0)
        }
    }

    private func watch(_ socket: curl_socket_t, _ what: Int32, for easy: UnsafeMutableRawPointer?) {
        guard what != CURL_POLL_REMOVE else {
            watches.removeValue(forKey: socket)?.cancel()
            return
        }
        guard let watch = watches[socket] ?? newWatch(socket) else {
            // Nothing would ever be heard of it. Not at once: this is curl's own callback.
            guard let transfer = easy.flatMap({ transfers[$0] }) else { return }
            loop.schedule(after: .zero) { [weak self] in
                guard let self, transfers[transfer.easy] === transfer else { return }
                remove(transfer.easy)?.end(CURLE_COULDNT_CONNECT)
            }
            return
        }
        watches[socket] = watch
        watch.interest(
            readable: what & CURL_POLL_IN != 0, writable: what & CURL_POLL_OUT != 0)
    }

    /// - Returns: nil when there is no descriptor left.
    private func newWatch(_ socket: curl_socket_t) -> DescriptorWatch? {
        try? loop.watch(fileDescriptor: socket) { [weak self] readable, writable in
            self?.act(
                socket, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0))
        }
    }

    private func act(_ socket: curl_socket_t, _ events: Int32) {
        guard let multi else { return }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
        var result = CURLE_OK
        while let easy = ccurl_next_done(multi, &result) { remove(easy)?.end(result) }
    }
}
