import CNGHTTP2
import EventLoop

/// What the pump tells the end that it serves.
protocol HTTP2PumpOwner: AnyObject {
    /// The handshake is done and both sides agreed on HTTP/2.
    func pumpDidEstablish()
    /// Whether what comes can be taken now.
    func pumpMayReceive() -> Bool
    /// What has come waits, and more is not read, until the owner calls `goOn`.
    func pumpDidHold()
    /// Some bytes were received and understood; what they caused can be acted on.
    func pumpDidReceive()
    /// Exactly once: nothing more will be received.
    func pumpDidEnd(_ error: HTTPError)
    /// After that, exactly once: what was left to send is sent or given up.
    func pumpDidRelease()
}

/// Moves bytes between a socket with TLS and an HTTP/2 session; the same for both ends.
///
/// `@unchecked Sendable`: touched only on its loop's thread, which every entry checks or is.
final class HTTP2Pump: @unchecked Sendable {
    private let loop: EventLoop
    private let socket: Socket
    private let tls: TLSFilter
    private let session: HTTP2Session
    /// Owner and pump refer to each other until the socket is released. Not `weak`: an object that
    /// was ever referred to weakly counts its references out of line, which the callbacks would
    /// feel.
    private var owner: (any HTTP2PumpOwner)?
    private var isFlushScheduled = false
    /// What has come and waits for `goOn`: what one read brings, and a record of TLS at most.
    private var held = ByteQueue()
    private var isHolding = false
    private(set) var isEstablished = false
    private(set) var isEnded = false
    /// A peer that names no protocol at all is taken to mean HTTP/2.
    var needsALPN = true
    /// Such a peer this one is, once the handshake is through.
    var lacksALPN: Bool { tls.applicationProtocol == nil }
    private var takingTime = TakingTime()
    /// Bytes that may wait for the peer to read.
    var unsentBytesMax = HTTP2Limits.unsentBytesMax
    /// Bytes a second that are read at most; nil for as fast as possible.
    var readRate: Int?

    init(
        loop: EventLoop, socket: Socket, tls: TLSFilter, session: HTTP2Session,
        owner: any HTTP2PumpOwner
    ) {
        self.loop = loop
        self.socket = socket
        self.tls = tls
        self.session = session
        self.owner = owner
    }

    /// Begins the handshake, unless it is through already.
    func start() {
        socket.onBytes = { self.receive($0) }
        socket.onClose = { _ in self.end(self.tls.failure ?? .connectionClosed) }
        socket.onDrained = { self.flush() }
        socket.onReleased = { self.released() }
        guard !tls.isEstablished else { return established() }
        tls.onEstablished = { self.established() }
        do throws(HTTPError) { try tls.begin(on: socket) } catch { end(error) }
    }

    var unsentBytes: Int { isEnded ? 0 : socket.unsentBytes }

    /// Called every `Limits.sweepMillis`: whether the peer takes too little of what waits for it.
    func isTakingTimeOver(_ limits: ServerLimits) -> Bool {
        takingTime.isOver(
            on: socket, isWaiting: unsentBytes > 0, limits, nowMillis: loop.nowMillis)
    }

    /// Sends what the session has to say at the end of this iteration: many submissions, one write.
    func scheduleFlush() {
        if isFlushScheduled || isEnded { return }
        isFlushScheduled = true
        loop.run { self.flush() }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        if isEnded { return }
        if let readRate { rest(for: .milliseconds(bytes.count * 1_000 / max(1, readRate))) }
        guard !isHolding, owner?.pumpMayReceive() ?? true else { return hold(bytes) }
        feed(bytes)
    }

    private func feed(_ bytes: UnsafeRawBufferPointer) {
        var taken = 0
        var failure: HTTPError?
        do throws(HTTPError) { taken = try session.receive(bytes) } catch { failure = error }
        if isEnded { return }
        if session.isPaused { hold(UnsafeRawBufferPointer(rebasing: bytes[taken...])) }
        owner?.pumpDidReceive()
        flush()
        if let failure { end(failure) }
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) {
        held.append(bytes)
        if isHolding { return }
        isHolding = true
        socket.pauseReading()
        owner?.pumpDidHold()
    }

    /// Takes what waits, and reads on if nothing of it has to wait again.
    func goOn() {
        guard isHolding, !isEnded else { return }
        isHolding = false
        let bytes = held
        held.removeAll()
        bytes.withBytes { receive($0) }
        if !isHolding, !isEnded { socket.resumeReading() }
    }

    private func rest(for duration: Duration) {
        socket.pauseReading()
        loop.schedule(after: duration) {
            if !self.isEnded { self.socket.resumeReading() }
        }
    }

    private func established() {
        if isEnded { return }
        guard tls.applicationProtocol == "h2" || (lacksALPN && !needsALPN)
        else { return end(.tls("the peer does not speak HTTP/2")) }
        isEstablished = true
        owner?.pumpDidEstablish()
        scheduleFlush()
    }

    private func flush() {
        isFlushScheduled = false
        if isEnded || !isEstablished { return }
        do throws(HTTPError) {
            try writeFrames()
        } catch {
            end(error)
            return
        }
        if session.isFinished { end(.connectionClosed) }
    }

    private func writeFrames() throws(HTTPError) {
        let room = unsentBytesMax - socket.unsentBytes
        guard room > 0 else { return }
        var failure: HTTPError?
        // What is written in one iteration is sealed together: a record per frame halves the
        // throughput.
        socket.write { output in
            do throws(HTTPError) {
                try session.gather(into: &output, upTo: output.count + room)
            } catch { failure = error }
        }
        if let failure { throw failure }
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
        tls.onEstablished = nil
        socket.onBytes = nil
        socket.onClose = nil
        socket.onDrained = nil
        held.removeAll()
    }
}
