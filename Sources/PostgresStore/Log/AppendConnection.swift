import EventLoop
import Postgres

/// A connection of the appender's own. Waiting for one of the pool's would put a turn of the loop,
/// and all that the callers of the last batch do in it, between two batches.
final class AppendConnection {
    private let pool: Pool
    private var connection: Connection?
    /// An attempt is under way, or the last one failed and the next may not begin yet.
    private var isTrying = false
    private var backoff = Backoff(
        from: .milliseconds(Limits.lineDelayMillisMin),
        to: .milliseconds(Limits.lineDelayMillisMax))
    /// Why there is no connection; nil while there is one, or no attempt has failed.
    private(set) var failure: PostgresError?

    init(pool: Pool) {
        self.pool = pool
    }

    /// The connection if it is there to be used. On the loop, like everything here.
    var current: Connection? {
        guard let connection, !connection.assumeIsolated({ $0.isClosed }) else { return nil }
        return connection
    }

    /// Calls back on the loop when there may be a connection, or none for good.
    func open(_ onEnd: @escaping @Sendable () -> Void) {
        guard !isTrying, current == nil else { return }
        isTrying = true
        nonisolated(unsafe) let opening = self
        let loop = pool.loop
        Task(executorPreference: loop) { [pool] in
            let result: Result<Connection, PostgresError>
            do throws(PostgresError) {
                result = .success(
                    try await pool.openDedicated(beginningWith: Statement.plansOnce))
            } catch { result = .failure(error) }
            loop.run { opening.opened(result, onEnd) }
        }
    }

    private func opened(
        _ result: Result<Connection, PostgresError>, _ onEnd: @escaping @Sendable () -> Void
    ) {
        switch result {
        case .success(let opened):
            (connection, isTrying, failure) = (opened, false, nil)
            backoff.succeeded()
            onEnd()
        case .failure(let error):
            failure = error
            let delay = error == .closed ? Duration.zero : backoff.next()
            nonisolated(unsafe) let resting = self
            pool.loop.schedule(after: delay) {
                resting.isTrying = false
                onEnd()
            }
        }
    }
}
