import CCurl
public import EventLoop

/// Sends requests to servers, by libcurl on an event loop: connections are kept and used again,
/// redirects are not followed, and unless the options allow it no address is asked that is not
/// public, for the servers are those of other people.
///
/// libcurl gets the addresses of a host and looks up none: its own look-ups join a thread when a
/// request is given up, so a name that hangs would delay everybody's.
// @unchecked: everything but `loop`, `options` and `names` is touched on the loop's thread only.
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

    let loop: EventLoop
    private let options: Options
    private let names: NameResolver
    private var multi: UnsafeMutableRawPointer?
    private var shares = FairShares<String>(capacity: Limits.requestsMax)
    private var underWay: [Post.Key: Int] = [:]
    /// Accepted and not over.
    private var posts: [ObjectIdentifier: Post] = [:]
    /// Those of them that wait for a place, in the order in which they came.
    private var line: [Post] = []
    private var transferring: [UnsafeMutableRawPointer: Post] = [:]
    private var watches: [curl_socket_t: DescriptorWatch] = [:]
    private var timer: LoopTimer?
    private var isClosed = false

    /// Connects to nobody yet.
    /// - Parameter names: how hosts are looked up; nil for the system's way, on threads of its own.
    public init(loop: EventLoop, options: Options = Options(), names: NameResolver? = nil) {
        _ = Self.prepareCurl
        self.loop = loop
        self.options = options
        self.names = names ?? NameResolver(keepSeconds: Limits.addressesKeptSeconds)
    }

    private static let prepareCurl: Void = {
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        precondition(code == CURLE_OK, "curl_global_init failed with \(code.rawValue)")
    }()

    /// Never takes longer than the request's deadline, and as long again where its share has more
    /// under way than there is room for.
    public func send(_ request: WebRequest) async -> WebReply {
        let post = Post(request)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.run { self.accept(post) { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.run { self.end(post, .failed(.cancelled)) }
        }
    }

    /// Requests under way fail as cancelled.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.run {
                self.isClosed = true
                for post in Array(self.posts.values) { self.end(post, .failed(.cancelled)) }
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
    private func accept(_ post: Post, _ finish: @escaping (WebReply) -> Void) {
        func refuse(_ failure: WebFailure) {
            finish(WebReply(answer: .failed(failure), body: []))
        }
        guard !isClosed, case .new = post.stage else { return refuse(.cancelled) }
        if hasRoom(for: post) {
            (post.finish, posts[ObjectIdentifier(post)]) = (finish, post)
            return start(post)
        }
        let waiting = line.count { $0.key.share == post.key.share }
        guard waiting < Limits.waitingPerShareMax, line.count < Limits.waitingMax else {
            return refuse(.busy)
        }
        (post.finish, posts[ObjectIdentifier(post)]) = (finish, post)
        post.stage = .waiting
        line.append(post)
        limit(post, .busy)
    }

    private func hasRoom(for post: Post) -> Bool {
        shares.admit(1, of: post.key.share)
            && underWay[post.key, default: 0] < Limits.requestsPerHostMax
    }

    private func giveBack(_ key: Post.Key) {
        shares.giveBack(1, of: key.share)
        let rest = underWay[key, default: 0] - 1
        underWay[key] = rest > 0 ? rest : nil
    }

    /// Ends the post after its deadline, counted from now.
    private func limit(_ post: Post, _ failure: WebFailure) {
        let millis = Int64(post.request.deadlineSeconds * 1000)
        post.deadlineMillis = loop.nowMillis + UInt64(millis)
        post.timer?.cancel()
        post.timer = loop.schedule(after: .milliseconds(millis)) { [weak self, weak post] in
            if let post { self?.end(post, .failed(failure)) }
        }
    }

    private func start(_ post: Post) {
        shares.take(1, of: post.key.share)
        underWay[post.key, default: 0] += 1
        post.stage = .resolving
        limit(post, .tooSlow)
        guard let target = post.target else { return end(post, .failed(.invalidURL)) }
        if PublicAddress.isPublic(numericHost: target.host) != nil { return send(post, []) }
        names.resolve(target.host, for: post.key.share) { [loop] answer in
            loop.run { self.resolved(post, target, answer) }
        }
    }

    private func resolved(_ post: Post, _ target: Target, _ answer: NameResolver.Answer) {
        guard case .resolving = post.stage else { return }
        switch answer {
        case .failure(.resolverBusy): end(post, .failed(.nameLookupBusy))
        case .failure: end(post, .failed(.nameNotFound))
        case .success(let all):
            let addresses = all.filter {
                options.allowsPrivate || PublicAddress.isPublic(numericHost: $0) == true
            }
            guard !addresses.isEmpty else {
                return end(post, .failed(all.isEmpty ? .nameNotFound : .addressNotPublic))
            }
            send(post, target.entries(addresses))
        }
    }

    private func send(_ post: Post, _ entries: [String]) {
        let now = loop.nowMillis
        let millis = post.deadlineMillis > now ? Int(post.deadlineMillis - now) : 1
        guard let multi = multi ?? open(),
            let transfer = Transfer(post.request, entries, within: millis, options)
        else { return end(post, .failed(.broken)) }
        post.timer?.cancel()
        post.timer = nil
        post.stage = .transferring(transfer)
        transferring[transfer.easy] = post
        // Begins by setting the timer.
        curl_multi_add_handle(multi, transfer.easy)
    }

    /// Harmless for one that is over.
    private func end(_ post: Post, _ answer: WebAnswer, body: [UInt8] = []) {
        let stage = post.stage
        post.stage = .over
        post.timer?.cancel()
        post.timer = nil
        posts[ObjectIdentifier(post)] = nil
        switch stage {
        case .new, .over: return
        case .waiting: line.removeAll { $0 === post }
        case .resolving: giveBack(post.key)
        case .transferring(let transfer):
            giveBack(post.key)
            transferring[transfer.easy] = nil
            if let multi { curl_multi_remove_handle(multi, transfer.easy) }
        }
        post.finish(WebReply(answer: answer, body: body))
        startWaiting()
    }

    private func startWaiting() {
        guard !isClosed else { return }
        while let index = line.firstIndex(where: hasRoom) {
            start(line.remove(at: index))
        }
    }

    private func open() -> UnsafeMutableRawPointer? {
        guard let multi = curl_multi_init() else { return nil }
        let me = Unmanaged.passUnretained(self).toOpaque()
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Limits.connectionsKeptMax)
        ccurl_multi_set_long(
            multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
            Limits.requestsMax + Limits.connectionsKeptMax)
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
            guard let post = easy.flatMap({ transferring[$0] }) else { return }
            loop.schedule(after: .zero) { [weak self] in self?.end(post, .failed(.busy)) }
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
        while let easy = ccurl_next_done(multi, &result) {
            guard let post = transferring[easy], case .transferring(let transfer) = post.stage
            else { continue }
            end(post, transfer.answer(result), body: transfer.kept)
        }
    }
}
