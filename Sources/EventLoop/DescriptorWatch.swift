import CUV

/// Tells when somebody else's descriptor can be read or written. Loop-bound.
public final class DescriptorWatch: LoopResource {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var onReady: ((_ readable: Bool, _ writable: Bool) -> Void)?

    init(
        _ loop: EventLoop, fileDescriptor: Int32,
        _ onReady: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) {
        let handle = allocateForLibuv(uv_poll_t.self)
        self.loop = loop
        self.handle = handle
        self.onReady = onReady
        let code = uv_poll_init(loop.uv, handle, fileDescriptor)
        precondition(code == 0, "cannot watch descriptor \(fileDescriptor): \(code)")
        loop.keep(self, for: handle)
    }

    /// What to be told of from now on; nothing at first.
    public func interest(readable: Bool, writable: Bool) {
        loop.checkIsolated()
        guard let handle else { return }
        var events: UInt32 = 0
        if readable { events |= UV_READABLE.rawValue }
        if writable { events |= UV_WRITABLE.rawValue }
        guard events != 0 else {
            uv_poll_stop(handle)
            return
        }
        let code = uv_poll_start(handle, Int32(events)) { handle, status, events in
            guard let watch = owner(DescriptorWatch.self, handle?.pointee.data) else { return }
            watch.report(status: status, events: UInt32(bitPattern: events))
        }
        precondition(code == 0, "cannot poll a watched descriptor: \(code)")
    }

    /// To be called before the descriptor is closed.
    public func cancel() {
        loop.checkIsolated()
        guard let handle else { return }
        self.handle = nil
        onReady = nil
        uv_poll_stop(handle)
        loop.release(self, handle)
    }

    func loopWillStop() { cancel() }

    private func report(status: Int32, events: UInt32) {
        // On an error both: the owner finds out what is wrong by trying.
        let hasFailed = status < 0
        onReady?(
            hasFailed || events & UV_READABLE.rawValue != 0,
            hasFailed || events & UV_WRITABLE.rawValue != 0)
    }
}

extension EventLoop {
    /// Watches a non-blocking descriptor that the caller owns (libpq's socket); ask for events with
    /// `interest`, and `cancel` before closing the descriptor. On the loop only.
    public func watch(
        fileDescriptor: Int32,
        _ onReady: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) -> DescriptorWatch {
        checkIsolated()
        return DescriptorWatch(self, fileDescriptor: fileDescriptor, onReady)
    }
}
