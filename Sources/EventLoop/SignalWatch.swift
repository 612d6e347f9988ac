import CUV

/// Tells when the process received a signal. Loop-bound.
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
