import HTTP
import Pipeline
import Terminal

/// How a node ends.
extension Server {
    /// How long requests under way may take when the server stops.
    private static let drainTime = Duration.seconds(10)

    /// Works until the node got a signal to stop and all connections are closed, or until the log
    /// is another one.
    static func until(
        _ stop: StopSignals, _ http: HTTP1Server, _ parts: Parts, _ log: Log,
        _ work: @escaping @Sendable () async -> Void
    ) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask {
                await work()
                return nil
            }
            group.addTask {
                await end(stop, http, parts.arguments, log)
                return .stopped
            }
            group.addTask {
                await parts.identity.wait(whileLogIs: parts.logStatus)
                return .otherLog
            }
            var ending: Ending?
            while ending == nil, let next = await group.next() { ending = next }
            group.cancelAll()
            return ending ?? .stopped
        }
    }

    /// Returns when the node got a signal to stop and all connections are closed.
    private static func end(
        _ stop: StopSignals, _ http: HTTP1Server, _ arguments: Arguments, _ log: Log
    ) async {
        await stop.first()
        guard !Task.isCancelled else { return }
        let delay = arguments.integer(StopSignals.drainDelay.name) ?? 0
        log(.info, "stopping", delay > 0 ? ["drainDelaySeconds": "\(delay)"] : [:])
        if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
        await http.drain(within: drainTime)
    }
}
