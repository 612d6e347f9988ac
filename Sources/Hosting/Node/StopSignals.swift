import EventLoop
import Glibc
import Terminal

/// Does what signals ask of a node: SIGHUP reads files again, the first SIGTERM or SIGINT stops it
/// politely, the second at once.
final class StopSignals: Sendable {
    static let drainDelay = OptionSpec(
        "drain-delay-seconds", .integer(0...600),
        "Seconds between SIGTERM, when /readyz begins to answer 503, and the end of new "
            + "connections: as long as your load balancer takes to notice. Meanwhile everything is "
            + "served. Let your supervisor wait 40 seconds longer than this before it kills the "
            + "node.",
        default: "0")

    /// Those who wait for the first signal that stops; nil once it has come.
    private let waiting = Lock<[AsyncStream<Never>.Continuation]?>([])

    /// Begins at once.
    /// - Parameter onStop: called at the first signal that stops, before anybody who waits for it.
    init(
        _ signals: AsyncStream<Int32>, log: Log, onStop: @escaping @Sendable () -> Void,
        reload: @escaping @Sendable () async -> Void
    ) {
        Task.detached { [waiting] in
            for await signal in signals {
                if signal == SIGHUP {
                    // Beside this loop: a database that hangs must not keep it from stopping.
                    Task.detached { await reload() }
                } else if waiting.withLock({ $0 == nil }) {
                    log(.warning, "got a second signal to stop: ends at once")
                    // A program that a signal ends has its number in its exit code, as in a shell.
                    _exit(128 + signal)
                } else {
                    onStop()
                    let waiters = waiting.withLock { waiting in
                        defer { waiting = nil }
                        return waiting
                    }
                    for each in waiters ?? [] { each.finish() }
                }
            }
        }
    }

    /// Until the node is to stop, or the task is cancelled. Several may wait, one after another.
    func first() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let isStopping = waiting.withLock { waiting in
            waiting?.append(continuation)
            return waiting == nil
        }
        if isStopping { return }
        for await _ in stream {}
    }
}
