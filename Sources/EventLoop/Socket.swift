import CUV
import Glibc

/// A TCP connection without Nagle's delay, or one over a Unix-domain socket. Loop-bound: every
/// member on the loop's thread only.
///
/// What is written during an iteration of the loop goes out in one piece at the iteration's end.
public final class Socket: LoopResource {
    /// Bytes received; the buffer is lent for the duration of the call.
    public var onBytes: ((UnsafeRawBufferPointer) -> Void)?
    /// The peer is done, reported once. `nil`: it sends no more but may still read, so close the
    /// socket when there is nothing left to answer. An error: the socket is closed already. Not
    /// called after `close()`.
    public var onClose: ((NetworkError?) -> Void)?
    /// The last unsent byte was handed to the kernel.
    public var onDrained: (() -> Void)?
    /// The descriptor is closed, for whatever reason. The last callback, exactly once; inside
    /// `close()` when that is the reason.
    public var onReleased: (() -> Void)?
    /// How much is read in one iteration of the loop, which is kept busy for as long as that takes.
    public var readBytesMax = Limits.readBufferBytes

    private enum Phase { case open, finishing, lingering, closed }

    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_tcp_t>?
    private var phase = Phase.open
    /// Unsent output. Its bound is the owner's: it looks at `unsentBytes` before it writes more.
    private var output: [UInt8] = []
    private var filter: (any SocketFilter)?
    /// With a filter: what was written in this iteration and is not sealed yet.
    private var plain: [UInt8] = []
    /// Bytes in a `uv_write` that the kernel did not take at once.
    private var queuedBytes = 0
    /// What the peer had not taken of all that libuv or the kernel has, when it was counted last,
    /// and what they got since.
    private var untakenBytes = 0
    private var isFlushScheduled = false
    private var isPaused = false
    private var isReading = false
    private var hasPeerFinished = false
    /// The loop's iteration in which something was read last.
    private var readIteration: UInt64?
    private var lingeredBytes = 0
    private var lingerTimer: LoopTimer?
    private var restTimer: LoopTimer?

    static func makeHandle(on loop: EventLoop) -> UnsafeMutablePointer<uv_tcp_t> {
        let handle = allocateForLibuv(uv_tcp_t.self)
        uv_tcp_init(loop.uv, handle)
        return handle
    }

    /// A handle for a connected descriptor, which belongs to it from then on; nil when libuv does
    /// not take it, and then it is closed.
    static func adopt(
        _ descriptor: Int32, on loop: EventLoop
    ) -> UnsafeMutablePointer<uv_tcp_t>? {
        let handle = makeHandle(on: loop)
        guard uv_tcp_open(handle, descriptor) == 0 else {
            Glibc.close(descriptor)
            uv_close(handle.cast(to: uv_handle_t.self)) { free($0) }
            return nil
        }
        return handle
    }

    /// Takes over a connected handle.
    init(_ loop: EventLoop, _ handle: UnsafeMutablePointer<uv_tcp_t>) {
        self.loop = loop
        self.handle = handle
        uv_tcp_nodelay(handle, 1)
        loop.keep(self, for: handle)
    }

    // MARK: Writing

    /// Bytes written but not yet taken by the kernel.
    public var unsentBytes: Int { output.count + queuedBytes + plain.count }

    /// What the peer's system has taken since this was asked last. The kernel takes much more: for
    /// a peer that reads slowly it has megabytes, and asks for the next bytes only when a third
    /// of its buffer is free.
    public func countTaken() -> Int {
        loop.checkIsolated()
        guard let handle else { return 0 }
        var unconfirmed: Int32 = 0
        _ = ioctl(Self.descriptor(of: handle), UInt(TIOCOUTQ), &unconfirmed)
        let untaken =
            Int(uv_stream_get_write_queue_size(handle.cast(to: uv_stream_t.self)))
            + Int(unconfirmed)
        defer { untakenBytes = untaken }
        // Of a Unix-domain socket the kernel counts its own memory, which is more.
        return max(0, untakenBytes - untaken)
    }

    /// From now on everything goes through the filter. What it has to say first is sent.
    public func use(_ filter: any SocketFilter) {
        loop.checkIsolated()
        self.filter = filter
        scheduleFlush()
    }

    /// Ignored when the socket is closing: the owner learns or has learnt of it.
    public func write(_ bytes: [UInt8]) {
        write { output in
            if output.isEmpty { output = bytes } else { output.append(contentsOf: bytes) }
        }
    }

    /// Lets `fill` append to the output, without an array in between.
    public func write(_ fill: (inout [UInt8]) -> Void) {
        loop.checkIsolated()
        guard phase == .open else { return }
        if filter == nil { fill(&output) } else { fill(&plain) }
        scheduleFlush()
    }

    private func seal() {
        guard let filter else { return }
        plain.withUnsafeBytes { filter.seal($0, into: &output) }
        plain.removeAll(keepingCapacity: plain.capacity <= Limits.keptOutputBytesMax)
    }

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.unflushed.append(self)
    }

    func flush() {
        isFlushScheduled = false
        // With a write under way the kernel is full; its completion comes back here.
        guard let handle, queuedBytes == 0 else { return }
        if phase == .open { seal() }
        if !output.isEmpty {
            let sent = output.withUnsafeBytes { Self.trySend($0, on: handle) }
            guard sent >= 0 else { return fail(NetworkError(code: sent)) }
            untakenBytes += Int(sent)
            guard Int(sent) == output.count else { return queue(from: Int(sent), on: handle) }
            if output.capacity <= Limits.keptOutputBytesMax {
                output.removeAll(keepingCapacity: true)
            } else {
                output = []
            }
            onDrained?()
        }
        if phase == .finishing, unsentBytes == 0 { sendFIN() }
    }

    private static func trySend(
        _ bytes: UnsafeRawBufferPointer, on handle: UnsafeMutablePointer<uv_tcp_t>
    ) -> Int32 {
        let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        var buffer = uv_buf_init(
            base?.assumingMemoryBound(to: CChar.self),
            UInt32(min(bytes.count, Int(Int32.max))))
        let sent = uv_try_write(handle.cast(to: uv_stream_t.self), &buffer, 1)
        return sent == UV_EAGAIN.rawValue ? 0 : sent
    }

    /// The slow path: the kernel's buffer is full, so libuv gets a copy that stays put.
    private func queue(from offset: Int, on handle: UnsafeMutablePointer<uv_tcp_t>) {
        let count = min(output.count - offset, Int(Int32.max))
        let request = SocketWrite.make(socket: self, bytes: output[offset..<(offset + count)])
        // Nearly always all of it; then the copy alone is kept.
        output = offset + count == output.count ? [] : Array(output[(offset + count)...])
        queuedBytes = count
        untakenBytes += count
        let code = uv_write(
            request.cast(to: uv_write_t.self), handle.cast(to: uv_stream_t.self),
            &request.pointee.buffer, 1
        ) { SocketWrite.finish($0, status: $1) }
        guard code == 0 else {
            SocketWrite.dispose(request)
            return fail(NetworkError(code: code))
        }
    }

    func queuedWriteEnded(status: Int32) {
        queuedBytes = 0
        guard handle != nil else { return }
        guard status == 0 else { return fail(NetworkError(code: status)) }
        if unsentBytes == 0 { onDrained?() }
        flush()
    }

    // MARK: Reading

    /// Stops `onBytes`; with reading paused the end of the peer goes unnoticed too.
    public func pauseReading() {
        loop.checkIsolated()
        isPaused = true
        stopReading()
    }

    /// The peer has sent something that was not read yet.
    public var hasUnread: Bool {
        loop.checkIsolated()
        guard let handle else { return false }
        var byte: UInt8 = 0
        return recv(Self.descriptor(of: handle), &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    private static func descriptor(of handle: UnsafeMutablePointer<uv_tcp_t>) -> Int32 {
        var descriptor: Int32 = -1
        uv_fileno(handle.cast(to: uv_handle_t.self), &descriptor)
        return descriptor
    }

    public func resumeReading() {
        loop.checkIsolated()
        isPaused = false
        startReading()
    }

    func startReading() {
        guard let handle, !isReading, !hasPeerFinished, !isPaused || phase != .open else { return }
        isReading = true
        uv_read_start(
            handle.cast(to: uv_stream_t.self),
            { handle, _, buffer in
                guard let socket = owner(Socket.self, handle?.pointee.data) else { return }
                // libuv would go on for as long as there is something to read. With no buffer it
                // stops, and the kernel tells of the rest once more in the next iteration.
                let memory = socket.takeReadBuffer()
                buffer?.pointee = uv_buf_init(
                    memory.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(memory.count))
            },
            { handle, count, _ in
                owner(Socket.self, handle?.pointee.data)?.received(count)
            })
    }

    private func takeReadBuffer() -> UnsafeMutableRawBufferPointer {
        guard readIteration != loop.iteration else { return .init(start: nil, count: 0) }
        readIteration = loop.iteration
        return UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer.prefix(readBytesMax))
    }

    private func stopReading() {
        guard let handle, isReading else { return }
        isReading = false
        uv_read_stop(handle.cast(to: uv_stream_t.self))
    }

    private func received(_ count: Int) {
        guard count != 0, Int32(count) != UV_ENOBUFS.rawValue else { return }
        if count > 0 {
            if phase == .open {
                take(UnsafeRawBufferPointer(rebasing: loop.readBuffer[0..<count]))
            } else {
                lingeredBytes += count
                if lingeredBytes > Limits.lingerBytesMax { close() } else { restFromReading() }
            }
        } else if Int32(count) == UV_EOF.rawValue {
            hasPeerFinished = true
            stopReading()
            if phase == .lingering { return close() }
            tellClosed(nil)
        } else {
            fail(NetworkError(code: Int32(count)))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard let filter else {
            onBytes?(bytes)
            return
        }
        let verdict = filter.open(bytes) { [self] in onBytes?($0) }
        guard phase == .open else { return }
        scheduleFlush()
        switch verdict {
        case .open: break
        case .endedByPeer:
            hasPeerFinished = true
            stopReading()
            tellClosed(nil)
        case .failed:
            // The peer gets the reason, if it listens; the owner learns that the socket is closed.
            tellClosed(.reset)
            shutdownThenClose()
            lingerTimer = loop.schedule(after: .milliseconds(Limits.lingerMillis)) { [weak self] in
                self?.close()
            }
        }
    }

    /// What is thrown away is read slowly: a peer that goes on sending what nobody wants must not
    /// keep the loop from those who are still being served.
    private func restFromReading() {
        stopReading()
        restTimer = loop.schedule(after: .milliseconds(Limits.lingerRestMillis)) { [weak self] in
            self?.startReading()
        }
    }

    // MARK: Ending

    /// Sends what is unsent, then FIN, waits a moment for the peer's, and closes. Input from now on
    /// is thrown away. A peer that does not read can delay this: bound it with `close()`.
    public func shutdownThenClose() {
        loop.checkIsolated()
        guard phase == .open else { return }
        seal()
        filter?.close(into: &output)
        phase = .finishing
        onBytes = nil
        startReading()
        scheduleFlush()
    }

    /// Closes at once; what is unsent is lost.
    public func close() {
        loop.checkIsolated()
        guard let handle else { return }
        self.handle = nil
        phase = .closed
        output = []
        plain = []
        filter = nil
        lingerTimer?.cancel()
        lingerTimer = nil
        restTimer?.cancel()
        restTimer = nil
        loop.release(self, handle)
        let onReleased = onReleased
        onBytes = nil
        onClose = nil
        onDrained = nil
        self.onReleased = nil
        onReleased?()
    }

    /// The peer's address in digits, without the port; empty once closed, and for a peer on this
    /// machine that came by a Unix-domain socket.
    public var remoteAddress: String {
        loop.checkIsolated()
        guard let handle, !isLocal else { return "" }
        var storage = sockaddr_storage()
        var byteCount = Int32(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            let address = storage.cast(to: sockaddr.self)
            guard uv_tcp_getpeername(handle, address, &byteCount) == 0 else { return "" }
            return SocketAddress(address, byteCount: Int(byteCount)).host
        }
    }

    /// The peer came by a Unix-domain socket.
    public internal(set) var isLocal = false

    func loopWillStop() { fail(.loopStopped) }

    private func sendFIN() {
        guard let handle else { return }
        guard !hasPeerFinished else { return close() }
        phase = .lingering
        // Everything is sent, so a plain shutdown(2) does what uv_shutdown would do an iteration
        // later.
        Glibc.shutdown(Self.descriptor(of: handle), Int32(SHUT_WR))
        lingerTimer?.cancel()
        lingerTimer = loop.schedule(after: .milliseconds(Limits.lingerMillis)) { [weak self] in
            self?.close()
        }
    }

    private func fail(_ error: NetworkError) {
        guard handle != nil else { return }
        tellClosed(error)
        close()
    }

    private func tellClosed(_ error: NetworkError?) {
        let onClose = onClose
        self.onClose = nil
        onClose?(error)
    }
}
