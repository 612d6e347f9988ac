import CUV
import Glibc

/// Tells when somebody else's descriptor can be read or written. Loop-bound.
///
/// It watches a duplicate: a library may close its descriptor on an error before anyone can cancel
/// the watch, and the number may by then belong to another socket of this very loop, whose
/// registration the cancelling would take away.
public final class DescriptorWatch: LoopResource {
    private let loop: EventLoop
    private let duplicate: Int32
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private var onReady: ((_ readable: Bool, _ writable: Bool) -> Void)?
    private var interest: Int32 = 0

    init(
        _ loop: EventLoop, fileDescriptor: Int32,
        _ onReady: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) throws(NetworkError) {
        let duplicate = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { throw NetworkError(code: -errno) }
        let handle = allocateForLibuv(uv_poll_t.self)
        let code = uv_poll_init(loop.uv, handle, duplicate)
        guard code == 0 else {
            // libuv has not taken the handle in, so there is nothing to close but the duplicate.
            free(handle)
            Glibc.close(duplicate)
            throw NetworkError(code: code)
        }
        self.loop = loop
        self.duplicate = duplicate
        self.handle = handle
        self.onReady = onReady
        loop.keep(self, for: handle)
    }

    /// Which events are reported from now on; none at first.
    public func interest(readable: Bool, writable: Bool) {
        loop.checkIsolated()
        guard let handle else { return }
        var events: UInt32 = 0
        if readable { events |= UV_READABLE.rawValue }
        if writable { events |= UV_WRITABLE.rawValue }
        interest = Int32(bitPattern: events)
        guard events != 0 else {
            uv_poll_stop(handle)
            return
        }
        start(handle)
    }

    private func start(_ handle: UnsafeMutablePointer<uv_poll_t>) {
        let code = uv_poll_start(handle, interest) { handle, status, events in
            guard let watch = owner(DescriptorWatch.self, handle?.pointee.data) else { return }
            watch.report(status: status, events: UInt32(bitPattern: events))
        }
        // It fails for a number that another handle of this loop watches, and the duplicate is our
        // own as long as the handle lives: a mistake of ours, which no shortage brings about.
        precondition(code == 0, "cannot poll a watched descriptor: \(code)")
    }

    /// The closure will not be called again; harmless when repeated.
    public func cancel() {
        loop.checkIsolated()
        guard let handle else { return }
        self.handle = nil
        onReady = nil
        uv_poll_stop(handle)
        loop.release(self, handle)
        close(duplicate)
    }

    func loopWillStop() { cancel() }

    private func report(status: Int32, events: UInt32) {
        // On an error both: the owner finds out what is wrong by trying. That may take more than
        // one try, for a peer's last words come before its end, and libuv stops looking.
        let hasFailed = status < 0
        if hasFailed, let handle { start(handle) }
        onReady?(
            hasFailed || events & UV_READABLE.rawValue != 0,
            hasFailed || events & UV_WRITABLE.rawValue != 0)
    }
}

extension EventLoop {
    /// Watches a non-blocking descriptor that the caller owns (libpq's socket); ask for events with
    /// `interest`. A descriptor that was closed without `cancel` never becomes ready. On the loop
    /// only.
    /// - Throws: `tooManyDescriptors` when there is none left for the duplicate.
    public func watch(
        fileDescriptor: Int32,
        _ onReady: @escaping (_ readable: Bool, _ writable: Bool) -> Void
    ) throws(NetworkError) -> DescriptorWatch {
        checkIsolated()
        return try DescriptorWatch(self, fileDescriptor: fileDescriptor, onReady)
    }
}
