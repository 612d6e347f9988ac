import EventLoop

/// Lets simulated time pass once a second, so that observers hear of cards gone stale unasked.
final class Ticker: Sendable {
    private let isStopped = Lock(false)
    private let loop: EventLoop
    private let tick: @Sendable () -> Void

    init(loop: EventLoop, tick: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.tick = tick
        loop.run { self.arm() }
    }

    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// On the loop's thread.
    private func arm() {
        _ = loop.schedule(after: .seconds(1)) { [weak self] in
            guard let self, !self.isStopped.withLock({ $0 }) else { return }
            self.tick()
            self.arm()
        }
    }
}
