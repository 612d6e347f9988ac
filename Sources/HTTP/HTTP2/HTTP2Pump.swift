import CNGHTTP2
import EventLoop
import TLS

/// What the pump tells the end that it serves.
protocol HTTP2PumpOwner: AnyObject {
    /// The handshake is done and both sides agreed on HTTP/2.
    func pumpDidEstablish()
    /// Some bytes were received and understood; what they caused can be acted on.
    func pumpDidReceive()
    /// Exactly once: nothing more will be received or sent.
    func pumpDidEnd(_ error: HTTPError)
}

/// Moves bytes between a socket, a TLS session and an HTTP/2 session; the same for both ends.
///
/// `@unchecked Sendable`: touched only on its loop's thread, which every entry checks or is.
final class HTTP2Pump: @unchecked Sendable {
    private let loop: EventLoop
    private let socket: Socket
    private let tls: TLSSession
    private let session: HTTP2Session
    private weak var owner: (any HTTP2PumpOwner)?
    private var gathered: [UInt8] = []
    private var isFlushScheduled = false
    private var isAnnounced = false
    private(set) var isEnded = false

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

    /// Begins the handshake. The socket keeps the owner alive from here until the end.
    func start(keeping owner: AnyObject) {
        socket.onBytes = { bytes in
            withExtendedLifetime(owner) { self.receive(bytes) }
        }
        socket.onClose = { _ in self.end(.connectionClosed) }
        socket.onDrained = { self.flush() }
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
        guard tls.applicationProtocol == "h2" else {
            throw .tls("the peer does not speak HTTP/2")
        }
        isAnnounced = true
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
            do throws(TLSError) {
                try gathered.withUnsafeBytes { (bytes) throws(TLSError) in try tls.send(bytes) }
            } catch {
                throw HTTPError(error)
            }
            gathered.removeAll(keepingCapacity: true)
        }
    }

    private func sendCiphertext() {
        let bytes = tls.takeCiphertext()
        if !bytes.isEmpty { socket.write(bytes) }
    }

    /// Says goodbye as far as the peer still listens, closes, and tells the owner.
    func end(_ error: HTTPError) {
        if isEnded { return }
        isEnded = true
        tls.close()
        sendCiphertext()
        detach()
        socket.shutdownThenClose()
        owner?.pumpDidEnd(error)
    }

    /// Drops the connection without a word.
    func abort(_ error: HTTPError) {
        if isEnded { return }
        isEnded = true
        detach()
        socket.close()
        owner?.pumpDidEnd(error)
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
