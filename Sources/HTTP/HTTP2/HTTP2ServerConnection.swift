import CNGHTTP2
import EventLoop
import TLS

/// The server's end of one connection.
///
/// `@unchecked Sendable`: touched only on its loop's thread.
final class HTTP2ServerConnection: @unchecked Sendable {
    let id: UInt64
    let server: HTTP2ServerCore
    var streams: [Int32: HTTP2ServerStream] = [:]
    /// The stream whose header block is being received.
    var receivingHead: HTTP2ServerStream?
    /// Streams whose request is complete, to be handed out after the session has been fed: a
    /// handler must not run inside a callback of nghttp2.
    var ready: [HTTP2ServerStream] = []
    private(set) var session: HTTP2Session?
    private var pump: HTTP2Pump?
    private var block = HTTP2HeaderBlock()
    /// When the handshake must be done, later: when a connection without streams is closed.
    private var idleUntilMillis: UInt64

    init(id: UInt64, server: HTTP2ServerCore) {
        self.id = id
        self.server = server
        idleUntilMillis = server.due(in: server.limits.headTimeoutSeconds)
    }

    func start(_ socket: Socket, _ tls: TLSSession) {
        let session = HTTP2Session(
            .server, userData: Unmanaged.passUnretained(self).toOpaque(),
            register: Self.register)
        socket.readBytesMax = HTTP2Limits.requestBytesReadMax
        let pump = HTTP2Pump(
            loop: server.loop, socket: socket, tls: tls, session: session, owner: self)
        self.session = session
        self.pump = pump
        pump.needsALPN = server.needsALPN
        session.submit(settings: [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, server.maxConcurrentStreams),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, server.limits.headBytesMax),
        ])
        session.widenConnectionWindow()
        pump.start()
    }

    // MARK: Requests

    private func handOutReady() {
        if ready.isEmpty { return }
        let streams = ready
        ready.removeAll(keepingCapacity: true)
        for stream in streams where stream.phase == .receiving {
            guard self.streams[stream.id] != nil else { continue }
            stream.phase = .handling
            let request = stream.request
            let streamID = stream.id
            let handler = server.handler
            let task = Task.immediateDetached(executorPreference: server.loop) {
                self.answer(streamID, await handler(request))
            }
            if stream.phase == .handling { stream.task = task }
        }
    }

    private func answer(_ streamID: Int32, _ answer: HTTP2Server.Answer) {
        // A task on the loop comes back to the loop; anything else is a mistake of ours.
        server.loop.checkIsolated()
        guard let stream = streams[streamID], stream.phase == .handling else { return }
        stream.task = nil
        switch answer {
        case .response(let response): send(response, on: stream)
        case .reset(let code):
            session?.reset(stream: streamID, code: code)
            pump?.scheduleFlush()
        case .disconnect: pump?.abort(.connectionClosed)
        }
    }

    /// Answers a request that no handler will see.
    func refuse(
        _ stream: HTTP2ServerStream, _ reason: Rejection.Reason, _ detail: String
    ) {
        guard stream.phase == .receiving else { return }
        dropBody(of: stream)
        send(server.rejection(Rejection(reason, detail), stream.request), on: stream)
    }

    /// It is answered, refused or over: its body is of no more use.
    func dropBody(of stream: HTTP2ServerStream) {
        stream.request.body = []
        server.dropBody(stream.heldBodyBytes)
        stream.heldBodyBytes = 0
    }

    private func send(_ response: Response, on stream: HTTP2ServerStream) {
        guard let session else { return }
        stream.phase = .answering
        dropBody(of: stream)
        touch(stream)
        var hasBody = stream.request.method != "HEAD"
        switch response.body {
        case .bytes(let bytes):
            stream.outgoing = ByteQueue(bytes)
            hasBody = hasBody && !bytes.isEmpty
        case .stream(let chunks):
            if hasBody {
                stream.isOutgoingWhole = false
                feed(stream, from: chunks)
            }
        }
        block.removeAll()
        block.append(":status", String(response.status))
        block.append(response.headers)
        _ = block.withFields { fields, count in
            guard hasBody else {
                return nghttp2_submit_response(session.pointer, stream.id, fields, count, nil)
            }
            var provider = nghttp2_data_provider()
            provider.read_callback = Self.readBody
            return nghttp2_submit_response(session.pointer, stream.id, fields, count, &provider)
        }
        pump?.scheduleFlush()
    }

    /// Patience with a peer that should read begins anew.
    func touch(_ stream: HTTP2ServerStream) {
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
        resume(stream)
        return await withCheckedContinuation { waiter in
            // Here and not before: at every `await` the client may have taken it or be gone.
            if streams[streamID] == nil || stream.unsentCount < HTTP2Limits.streamedBytesMax {
                waiter.resume(returning: streams[streamID] != nil)
            } else {
                stream.roomWaiter = waiter
            }
        }
    }

    private func endBody(of streamID: Int32) {
        guard let stream = streams[streamID] else { return }
        stream.isOutgoingWhole = true
        stream.task = nil
        resume(stream)
    }

    private func resume(_ stream: HTTP2ServerStream) {
        touch(stream)
        guard stream.isDeferred, let session else { return }
        stream.isDeferred = false
        nghttp2_session_resume_data(session.pointer, stream.id)
        pump?.scheduleFlush()
    }

    // MARK: On demand

    func setMaxConcurrentStreams(_ count: Int) {
        session?.submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, count)])
        pump?.scheduleFlush()
    }

    /// - Parameter lastStreamID: nil for the last one received, so that all of them are answered.
    func goAway(code: HTTP2ErrorCode, body: [UInt8], lastStreamID: Int32?) {
        guard let session else { return }
        let last = lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session.pointer)
        nghttp2_submit_goaway(
            session.pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, body,
            body.count)
        pump?.scheduleFlush()
    }

    func disconnect() {
        pump?.abort(.connectionClosed)
    }

    func setReadRate(_ bytesPerSecond: Int?) { pump?.readRate = bytesPerSecond }

    // MARK: Time

    /// Several times a second.
    func sweep(now: UInt64) {
        guard let pump, pump.isEstablished else {
            if now > idleUntilMillis { disconnect() }
            return
        }
        for stream in streams.values where stream.dueMillis < now {
            switch stream.phase {
            case .receiving: refuse(stream, .bodyTimeout, "the request did not come to its end")
            case .handling: break
            case .answering:
                session?.reset(stream: stream.id, code: .cancel)
                pump.scheduleFlush()
            }
        }
        if !streams.isEmpty {
            idleUntilMillis = server.due(in: server.limits.idleTimeoutSeconds)
        } else if now > idleUntilMillis {
            // Asked first, then made sure of: a peer that keeps its side open must not stay.
            if isLeaving { return disconnect() }
            isLeaving = true
            idleUntilMillis = server.due(in: Double(HTTP2Limits.goodbyeSecondsMax))
            goAway(code: .noError, body: [], lastStreamID: nil)
        }
    }

    private var isLeaving = false
}

extension HTTP2ServerConnection: HTTP2PumpOwner {
    func pumpDidEstablish() {
        if pump?.lacksALPN == true { server.withoutALPN() }
        idleUntilMillis = server.due(in: server.limits.idleTimeoutSeconds)
    }

    func pumpDidReceive() {
        handOutReady()
    }

    func pumpDidEnd(_ error: HTTPError) {
        let open = streams.values
        streams = [:]
        ready = []
        for stream in open {
            dropBody(of: stream)
            stream.cancel()
        }
    }

    func pumpDidRelease() {
        server.released(self)
        session = nil
        pump = nil
    }
}
