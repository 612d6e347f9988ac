import CNGHTTP2
import EventLoop

/// The server's end of one connection. Extensions: `+Callbacks` takes frames, `+Admission` says
/// whose bodies are taken, `+Floods` counts what is of no use, `+Time` gives up.
///
/// `@unchecked Sendable`: touched only on its loop's thread.
final class HTTP2ServerConnection: @unchecked Sendable {
    let id: UInt64
    let server: HTTP2Server
    let account: BodyAccounts.Account
    let own: [BodyAccounts.Account]
    let isOfProxy: Bool
    private let onReleased: (HTTP2ServerConnection) -> Void
    var streams: [Int32: HTTP2ServerStream] = [:]
    /// The stream whose header block is being received.
    var receivingHead: HTTP2ServerStream?
    /// Of the header block that is being received, once decoded: its bytes, with the 32 per field
    /// that the protocol counts, and its fields.
    var blockBytes = 0
    var blockFields = 0
    /// How much more may be decoded before the client's turn is needed for it.
    var decodableBytes = HTTP2Limits.freeHeadBytesMax
    /// Streams whose request is complete, to be handed out after the session has been fed: a
    /// handler must not run inside a callback of nghttp2.
    var ready: [HTTP2ServerStream] = []
    /// Streams whose head is there and whose body is to come, for the same reason.
    var heads: [HTTP2ServerStream] = []
    private(set) var session: HTTP2Session?
    private(set) var pump: HTTP2Pump?
    private var block = HTTP2HeaderBlock()
    /// When the handshake must be done, later: when a connection without streams is closed.
    var idleUntilMillis: UInt64
    /// Since when there have been no streams.
    var waitingSinceMillis: UInt64
    var isLeaving = false
    private var isWaitingForIteration = false
    var resets: RateBucket
    var idleFrames: RateBucket
    /// The client has sent too much that is of no use; the connection ends after this read.
    var isFlooded = false

    init(
        id: UInt64, server: HTTP2Server, account: BodyAccounts.Account, isOfProxy: Bool,
        onReleased: @escaping (HTTP2ServerConnection) -> Void
    ) {
        self.id = id
        self.server = server
        self.account = account
        own = [account]
        self.isOfProxy = isOfProxy
        self.onReleased = onReleased
        let now = server.loop.nowMillis
        resets = RateBucket(full: HTTP2Limits.resets, at: Int64(now) * 1_000)
        idleFrames = RateBucket(full: HTTP2Limits.idleFrames, at: Int64(now) * 1_000)
        waitingSinceMillis = now
        idleUntilMillis = server.due(in: server.limits.headTimeoutSeconds)
    }

    func start(_ socket: Socket, _ tls: TLSFilter) {
        let session = HTTP2Session(
            .server, userData: Unmanaged.passUnretained(self).toOpaque(),
            register: Self.register)
        socket.readBytesMax = HTTP2Limits.requestBytesReadMax
        let pump = HTTP2Pump(
            loop: server.loop, socket: socket, tls: tls, session: session, owner: self)
        self.session = session
        self.pump = pump
        pump.needsALPN = server.needsALPN
        if server.isForClients { pump.unsentBytesMax = server.limits.unsentBytesMax }
        var settings = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, server.maxConcurrentStreams),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, server.limits.headBytesMax),
        ]
        if server.isForClients {
            settings.append((NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, HTTP2Limits.streamWindowBytes))
        }
        session.submit(settings: settings)
        session.widenConnectionWindow()
        pump.start()
    }

    // MARK: Requests

    /// Begins as many as the client may in this iteration of the loop, then the others.
    private func begin() {
        if isWaitingForIteration { return }
        guard takeHeads(), handOutReady() else {
            isWaitingForIteration = true
            return server.control.quota.next(account) { [self] in
                isWaitingForIteration = false
                begin()
            }
        }
    }

    /// - Returns: false when some must wait for their turn.
    private func handOutReady() -> Bool {
        var count = 0
        // A handler that gets a request may end the connection, and then there are none.
        defer { ready.removeFirst(min(count, ready.count)) }
        for stream in ready {
            if stream.mayBeHandedOut, streams[stream.id] != nil {
                guard mayBegin() else { return false }
                handOut(stream)
            }
            count += 1
        }
        return true
    }

    func mayBegin() -> Bool { !server.isForClients || server.control.quota.take(account) }

    func handOut(_ stream: HTTP2ServerStream) {
        stream.phase = .handling
        let request = stream.request
        let streamID = stream.id
        let handler = server.handler
        let began = server.control.begin(request)
        let task = Task.immediateDetached(executorPreference: server.loop) {
            self.answer(streamID, await handler(request), since: began)
        }
        if stream.phase == .handling { stream.task = task }
    }

    private func answer(
        _ streamID: Int32, _ answer: HTTP2Server.Answer, since began: ContinuousClock.Instant?
    ) {
        // A task on the loop comes back to the loop; anything else is a mistake of ours.
        server.loop.checkIsolated()
        let duration = began.map { ContinuousClock.now - $0 }
        let sent = carryOut(answer, on: streamID)
        if let duration {
            server.control.observer?.answered(
                status: sent?.status ?? 0, isOfTenant: sent?.isOfTenant ?? false, after: duration)
        }
    }

    /// - Returns: what goes out, or would if the client were still there.
    private func carryOut(_ answer: HTTP2Server.Answer, on streamID: Int32) -> Response? {
        guard let stream = streams[streamID], stream.phase == .handling else {
            if case .response(let response) = answer { return response }
            return nil
        }
        stream.task = nil
        switch answer {
        case .response(let response): return sendPaced(response, on: stream)
        case .reset(let code):
            session?.reset(stream: streamID, code: code)
            pump?.scheduleFlush()
        case .disconnect: pump?.abort(.connectionClosed)
        }
        return nil
    }

    /// Answers a request that no handler will see.
    func refuse(_ stream: HTTP2ServerStream, _ rejection: Rejection) {
        guard stream.phase == .receiving else { return }
        dropBody(of: stream)
        send(server.rejection(rejection, stream.request), on: stream)
    }

    /// A client that is refused again and again at once is answered later.
    /// - Returns: what goes out.
    @discardableResult
    func sendPaced(_ response: Response, on stream: HTTP2ServerStream) -> Response {
        guard server.isForClients, RefusalPace.isRefusal(status: response.status) else {
            return send(response, on: stream)
        }
        let delay = server.control.refusalDelayMillis(
            askedWith: stream.request.headers, on: self, nowMillis: server.loop.nowMillis)
        guard delay > 0 else { return send(response, on: stream) }
        dropBody(of: stream)
        dropHead(of: stream)
        let streamID = stream.id
        server.loop.schedule(after: .milliseconds(delay)) {
            guard let stream = self.streams[streamID], stream.phase != .answering else { return }
            self.send(response, on: stream)
        }
        return response
    }

    @discardableResult
    private func send(_ response: Response, on stream: HTTP2ServerStream) -> Response {
        guard let session else { return response }
        let method = stream.request.method
        var hasBody = method != "HEAD" && ResponseWriter.allowsBody(status: response.status)
        let response =
            !hasBody || reserve(response, on: stream)
            ? response : server.rejection(.noRoomForAnswer(to: method), stream.request)
        stream.phase = .answering
        stream.task = nil
        stream.bodyInput?.fail(.cutShort)
        stream.bodyInput = nil
        dropBody(of: stream)
        dropHead(of: stream)
        touch(stream)
        layOut(response)
        switch response.body {
        case .bytes(let bytes):
            if hasBody { stream.outgoing.append(bytes) }
            hasBody = hasBody && !bytes.isEmpty
        case .stream(let chunks):
            if hasBody {
                stream.isOutgoingWhole = false
                stream.closingBytes = response.closingBytes
                feed(stream, from: chunks)
            }
        }
        _ = block.withFields { fields, count in
            guard hasBody else {
                return nghttp2_submit_response(session.pointer, stream.id, fields, count, nil)
            }
            var provider = nghttp2_data_provider()
            provider.read_callback = Self.readBody
            return nghttp2_submit_response(session.pointer, stream.id, fields, count, &provider)
        }
        pump?.scheduleFlush()
        return response
    }

    /// The answer's head, with what HTTP/1.1 would say of date and length.
    private func layOut(_ response: Response) {
        block.removeAll()
        block.append(":status", String(response.status))
        guard server.isForClients else { return block.append(response.headers) }
        block.append("date", String(decoding: server.date.now(), as: UTF8.self))
        for field in response.headers.fields where !ResponseWriter.isOurs(field.name) {
            block.appendClean(field.name, field.value)
        }
        if case .bytes(let bytes) = response.body,
            ResponseWriter.allowsBody(status: response.status)
        {
            block.append("content-length", String(bytes.count))
        }
    }

    /// Counts a body that is there as a whole, unless it is there anyway, is small or a refusal.
    private func reserve(_ response: Response, on stream: HTTP2ServerStream) -> Bool {
        guard case .bytes(let bytes) = response.body, !response.isShared,
            bytes.count > HTTP2Limits.freeResponseBytesMax,
            !RefusalPace.isRefusal(status: response.status)
        else { return true }
        return reserve(bytes.count, on: stream)
    }

    private func reserve(_ count: Int, on stream: HTTP2ServerStream) -> Bool {
        server.control.reserve(
            count, &stream.waiting, askedWith: stream.request.headers, on: self)
    }

    /// Patience with a peer that should read begins again.
    func touch(_ stream: HTTP2ServerStream) {
        stream.takenBytes = 0
        stream.dueMillis = server.due(in: server.limits.writeTimeoutSeconds)
    }

    // MARK: Streamed bodies

    private func feed(_ stream: HTTP2ServerStream, from chunks: AsyncStream<[UInt8]>) {
        let streamID = stream.id
        stream.task = Task.immediateDetached(executorPreference: server.loop) {
            for await chunk in chunks {
                guard await self.append(chunk, to: streamID) else { return }
            }
            self.endBody(of: streamID)
        }
    }

    /// False when nobody listens any more.
    private func append(_ chunk: [UInt8], to streamID: Int32) async -> Bool {
        guard let stream = streams[streamID] else { return false }
        stream.outgoing.append(chunk)
        guard reserve(stream.outgoing.count, on: stream) else {
            session?.reset(stream: streamID, code: .enhanceYourCalm)
            pump?.scheduleFlush()
            return false
        }
        resume(stream)
        return await withCheckedContinuation { waiter in
            // Here and not before: at every `await` the client may have taken it or be gone.
            if streams[streamID] == nil || stream.outgoing.count < HTTP2Limits.streamedBytesMax {
                waiter.resume(returning: streams[streamID] != nil)
            } else {
                stream.roomWaiter = waiter
            }
        }
    }

    /// Says what the event stream ends with, and ends it.
    func sendReplacementEnd(on stream: HTTP2ServerStream) {
        guard let closingBytes = stream.closingBytes else { return }
        stream.closingBytes = nil
        stream.task?.cancel()
        stream.outgoing.append(closingBytes)
        endBody(of: stream.id)
    }

    private func endBody(of streamID: Int32) {
        guard let stream = streams[streamID], !stream.isOutgoingWhole else { return }
        stream.isOutgoingWhole = true
        stream.task = nil
        resume(stream)
    }

    private func resume(_ stream: HTTP2ServerStream) {
        // Not for a client that has yet to take what there was.
        guard stream.isDeferred, let session else { return }
        touch(stream)
        stream.isDeferred = false
        nghttp2_session_resume_data(session.pointer, stream.id)
        pump?.scheduleFlush()
    }

    // MARK: On demand

    func change(_ setting: nghttp2_settings_id, to value: Int) {
        session?.submit(settings: [(setting, value)])
        pump?.scheduleFlush()
    }

    /// - Parameter lastStreamID: nil for the last one received, so that all of them are answered.
    func goAway(body: [UInt8] = [], lastStreamID: Int32? = nil) {
        guard let session else { return }
        let last = lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session.pointer)
        nghttp2_submit_goaway(
            session.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), last,
            HTTP2ErrorCode.noError.rawValue, body, body.count)
        pump?.scheduleFlush()
    }

    func setReadRate(_ bytesPerSecond: Int?) { pump?.readRate = bytesPerSecond }
}

extension HTTP2ServerConnection: HTTP2PumpOwner {
    func pumpDidEstablish() {
        if pump?.lacksALPN == true { server.withoutALPN() }
        idleUntilMillis = server.due(in: server.limits.idleTimeoutSeconds)
    }

    func pumpMayReceive() -> Bool { mayDecode() }

    func pumpDidHold() { server.control.quota.next(account) { [self] in pump?.goOn() } }

    func pumpDidReceive() {
        if isFlooded, server.isForClients { return endFlood() }
        begin()
    }

    func pumpDidEnd(_ error: HTTPError) {
        let open = streams.values
        streams = [:]
        ready = []
        heads = []
        for stream in open {
            dropBody(of: stream)
            stream.cancel()
        }
    }

    func pumpDidRelease() {
        onReleased(self)
        session = nil
        pump = nil
    }
}
