import CNGHTTP2
import EventLoop
import TLS

/// What the pump tells the end that it serves.
protocol HTTP2PumpOwner: AnyObject {
    /// The handshake is done and both sides agreed on HTTP/2.
    func pumpDidEstablish()
    /// Some bytes were received and understood; what they caused can be acted on.
    func pumpDidReceive()
    /// Exactly once: nothing more will be received.
    func pumpDidEnd(_ error: HTTPError)
    /// After that, exactly once: what was left to send is sent or given up.
    func pumpDidRelease()
}

/// Moves bytes between a socket, a TLS session and an HTTP/2 session; the same for both ends.
///
/// `@unchecked Sendable`: touched only on its loop's thread, which every entry checks or is.
final class HTTP2Pump: @unchecked Sendable {
    private let loop: EventLoop
    private let socket: Socket
    private let tls: TLSSession
    private let session: HTTP2Session
    /// Owner and pump hold each other until the socket is released. Not `weak`: an object that was
    /// ever held weakly counts its references out of line, which the callbacks would feel.
    private var owner: (any HTTP2PumpOwner)?
    /// Frames before they are encrypted: `HTTP2Limits.recordBytesMax` and a frame.
    private var gathered: [UInt8] = []
    private var isFlushScheduled = false
    private var isAnnounced = false
    private(set) var isEnded = false
    /// A peer that names no protocol at all is taken to mean HTTP/2.
    var needsALPN = true
    /// Such a peer this one is; known once the handshake is through.
    private(set) var lacksALPN = false
    /// Bytes a second that are read at most; nil for as fast as possible.
    var readRate: Int?

    init(
        loop: EventLoop, socket: Socket, tls: TLSSession, session: HTTP2Session,
        owner: any HTTP2PumpOwner
    ) {
        self.loop = loop
        self.socket = socket
        self.tls = tls
        self.session = session
        self.owner = owner
    }

    /// Begins the handshake.
    func start() {
        socket.onBytes = { self.receive($0) }
        socket.onClose = { _ in self.end(.connectionClosed) }
        socket.onDrained = { self.flush() }
        socket.onReleased = { self.released() }
        do throws(TLSError) {
            try tls.begin()
            sendCiphertext()
        } catch {
            end(HTTPError(error))
        }
    }

    var isEstablished: Bool { isAnnounced }
    var unsentBytes: Int { isEnded ? 0 : socket.unsentBytes }

    /// Sends what the session has to say at the end of this turn: many submissions, one write.
    func scheduleFlush() {
        if isFlushScheduled || isEnded { return }
        isFlushScheduled = true
        loop.run { self.flush() }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        if isEnded { return }
        if let readRate { rest(for: .milliseconds(bytes.count * 1_000 / max(1, readRate))) }
        var failure: HTTPError?
        do throws(TLSError) {
            let reception = try tls.receive(bytes) { plaintext in
                if failure != nil || isEnded { return }
                do throws(HTTPError) {
                    try announce()
                    try session.receive(plaintext)
                } catch {
                    failure = error
                }
            }
            if failure == nil, !isEnded { failure = announceIfReady() }
            if reception == .closedByPeer { failure = failure ?? .connectionClosed }
        } catch {
            failure = HTTPError(error)
        }
        if isEnded { return }
        owner?.pumpDidReceive()
        flush()
        if let failure { end(failure) }
    }

    private func rest(for duration: Duration) {
        socket.pauseReading()
        loop.schedule(after: duration) {
            if !self.isEnded { self.socket.resumeReading() }
        }
    }

    private func announceIfReady() -> HTTPError? {
        guard tls.isEstablished else { return nil }
        do throws(HTTPError) {
            try announce()
            return nil
        } catch {
            return error
        }
    }

    private func announce() throws(HTTPError) {
        if isAnnounced { return }
        guard tls.applicationProtocol == "h2" || (tls.applicationProtocol == nil && !needsALPN)
        else {
            throw .tls("the peer does not speak HTTP/2")
        }
        isAnnounced = true
        lacksALPN = tls.applicationProtocol == nil
        owner?.pumpDidEstablish()
    }

    private func flush() {
        isFlushScheduled = false
        if isEnded { return }
        do throws(HTTPError) {
            if isAnnounced { try encryptFrames() }
            sendCiphertext()
        } catch {
            end(error)
            return
        }
        if isAnnounced, session.isFinished { end(.connectionClosed) }
    }

    private func encryptFrames() throws(HTTPError) {
        var room = HTTP2Limits.unsentBytesMax - socket.unsentBytes
        while room > 0 {
            try session.gather(into: &gathered, upTo: HTTP2Limits.recordBytesMax)
            if gathered.isEmpty { return }
            room -= gathered.count
            let failure = gathered.withUnsafeBytes { bytes in
                do throws(TLSError) {
                    try tls.send(bytes)
                    return nil as TLSError?
                } catch {
                    return error
                }
            }
            if let failure { throw HTTPError(failure) }
            gathered.removeAll(keepingCapacity: true)
        }
    }

    private func sendCiphertext() {
        socket.write { tls.drainCiphertext(into: &$0) }
    }

    /// As `end`, after what the session still has to say. Not inside a callback of the session.
    func flushThenEnd(_ error: HTTPError) {
        flush()
        end(error)
    }

    /// Says goodbye as far as the peer still listens, closes, and tells the owner.
    func end(_ error: HTTPError) {
        if isEnded { return }
        isEnded = true
        tls.close()
        sendCiphertext()
        detach()
        owner?.pumpDidEnd(error)
        socket.shutdownThenClose()
        let socket = socket
        loop.schedule(after: .seconds(HTTP2Limits.goodbyeSecondsMax)) { socket.close() }
    }

    /// Drops the connection without a word.
    func abort(_ error: HTTPError) {
        if isEnded { return }
        isEnded = true
        detach()
        owner?.pumpDidEnd(error)
        socket.close()
    }

    private func released() {
        end(.connectionClosed)
        let owner = owner
        self.owner = nil
        owner?.pumpDidRelease()
    }

    private func detach() {
        socket.onBytes = nil
        socket.onClose = nil
        socket.onDrained = nil
    }
}

extension HTTPError {
    init(_ error: TLSError) {
        switch error {
        case .peerRefused(let reason): self = .tls("certificate refused: \(reason)")
        case .handshakeFailed(let reason): self = .tls("handshake failed: \(reason)")
        case .sessionFailed(let reason): self = .tls("session failed: \(reason)")
        case .hostUnusable(let host): self = .tls("not a host name: \(host)")
        case .privateKeyUnreadable(let reason), .publicKeyUnreadable(let reason),
            .certificateUnreadable(let reason), .trustUnreadable(let reason),
            .libraryFailed(let reason):
            self = .tls(reason)
        case .keyNotP256: self = .tls("not a P-256 key")
        }
    }
}
