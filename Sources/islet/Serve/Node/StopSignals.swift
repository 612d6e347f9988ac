import EventLoop
import Glibc

/// Does what signals ask of a node: SIGHUP reads files again, the first SIGTERM or SIGINT stops it
/// politely, the second at once.
struct StopSignals: Sendable {
    static let drainDelay = OptionSpec(
        "drain-delay-seconds", .integer(0...600),
        "Seconds between SIGTERM, when /readyz begins to answer 503, and the end of new connections: "
            + "as long as your load balancer takes to notice. Meanwhile everything is served.",
        default: "0")

    private let stops: AsyncStream<Int32>

    /// Begins at once.
    /// - Parameter onStop: told of the first signal that stops, before anybody who waits for it.
    init(
        _ signals: AsyncStream<Int32>, log: Log, onStop: @escaping @Sendable () -> Void,
        reload: @escaping @Sendable () async -> Void
    ) {
        let (stops, stop) = AsyncStream.makeStream(of: Int32.self)
        self.stops = stops
        Task.detached {
            var isStopping = false
            for await signal in signals {
                if signal == SIGHUP {
                    // Beside this loop: a database that hangs must not keep it from stopping.
                    Task.detached { await reload() }
                } else if isStopping {
                    log(.warning, "told to stop once more: ends at once")
                    // Whoever was told to end by a signal ends with its number, as a shell has it.
                    _exit(128 + signal)
                } else {
                    isStopping = true
                    onStop()
                    stop.yield(signal)
                }
            }
        }
    }

    /// Until the node is to stop.
    func first() async {
        for await _ in stops { return }
    }
}
