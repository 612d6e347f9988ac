import CUV
import Glibc

/// Unix signals as values.
public struct Signals {
    /// The signals received from now on, until the stream is dropped; meanwhile they do not have
    /// their usual effect. SIGPIPE is ignored by every event loop.
    public static func stream(_ signals: [Int32]) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let watches = Lock<[SignalWatch]>([])
            // Waits for the other thread, microseconds: a signal that arrives after this function
            // returned must not have its usual effect.
            let isReady = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
            sem_init(isReady, 0, 0)
            nonisolated(unsafe) let ready = isReady
            loop.run {
                let started = signals.map { signal in
                    SignalWatch(loop, signal) { continuation.yield(signal) }
                }
                watches.withLock { $0 = started }
                sem_post(ready)
            }
            while sem_wait(isReady) != 0 {}
            sem_destroy(isReady)
            isReady.deallocate()
            continuation.onTermination = { _ in
                loop.run {
                    for watch in watches.withLock({ $0 }) { watch.cancel() }
                }
            }
        }
    }

    /// A thread of its own, so that SIGTERM is handled however busy the others are.
    private static let loop = EventLoop(name: "signals")
}

final class SignalWatch: LoopResource {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_signal_t>?
    private var onSignal: (() -> Void)?

    init(_ loop: EventLoop, _ signal: Int32, _ onSignal: @escaping () -> Void) {
        let handle = allocateForLibuv(uv_signal_t.self)
        self.loop = loop
        self.handle = handle
        self.onSignal = onSignal
        uv_signal_init(loop.uv, handle)
        loop.keep(self, for: handle)
        let code = uv_signal_start(
            handle, { handle, _ in owner(SignalWatch.self, handle?.pointee.data)?.onSignal?() },
            signal)
        precondition(code == 0, "cannot watch signal \(signal): \(code)")
    }

    func cancel() {
        guard let handle else { return }
        self.handle = nil
        onSignal = nil
        loop.release(self, handle)
    }

    func loopWillStop() { cancel() }
}
