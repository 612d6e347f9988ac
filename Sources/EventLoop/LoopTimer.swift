import CUV

/// Runs a closure once, later. Loop-bound. Forgetting it does not cancel it.
public final class LoopTimer: LoopResource {
    private let loop: EventLoop
    private var handle: UnsafeMutablePointer<uv_timer_t>?
    private var work: (() -> Void)?

    init(_ loop: EventLoop, after delay: Duration, _ work: @escaping () -> Void) {
        let handle = allocateForLibuv(uv_timer_t.self)
        self.loop = loop
        self.handle = handle
        self.work = work
        uv_timer_init(loop.uv, handle)
        loop.keep(self, for: handle)
        let millis = delay.millisRoundedUp
        // libuv fires timers for as long as one is due, and looks at the sockets only then. Timers
        // that start each other without a delay would keep it from them.
        if millis == 0, loop.isFiring {
            loop.unstartedTimers.append(self)
        } else {
            start(after: millis)
        }
    }

    func start(after millis: UInt64 = 0) {
        guard let handle else { return }
        // The loop's idea of now is from the start of the iteration.
        uv_update_time(loop.uv)
        uv_timer_start(
            handle, { owner(LoopTimer.self, $0?.pointee.data)?.fire() }, millis, 0)
    }

    /// The closure will not run; harmless when it has run already.
    public func cancel() {
        loop.checkIsolated()
        guard let handle else { return }
        self.handle = nil
        work = nil
        loop.release(self, handle)
    }

    func loopWillStop() { cancel() }

    private func fire() {
        let work = work
        cancel()
        loop.isFiring = true
        work?()
        loop.isFiring = false
    }
}

extension EventLoop {
    /// Runs `work` after at least `delay`; timers that are due together run in the order in which
    /// they were scheduled. Without a delay it runs once all sockets that were found ready have
    /// been looked at, also if it is a timer that asks for it. On the loop only.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> LoopTimer {
        checkIsolated()
        return LoopTimer(self, after: delay, work)
    }

    /// The loop's monotonic clock as of this iteration, for deadlines. On the loop only.
    public var nowMillis: UInt64 {
        checkIsolated()
        return uv_now(uv)
    }
}

extension Duration {
    /// Whole milliseconds, never less than asked for: a part of one counts as a whole one, and as
    /// libuv counts from a truncated clock, one more is added.
    var millisRoundedUp: UInt64 {
        guard self > .zero else { return 0 }
        let whole = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt64(min(whole + 1, Int128(Int64.max)))
    }
}
