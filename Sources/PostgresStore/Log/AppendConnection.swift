import EventLoop
import Postgres

/// A connection of the appender's own. Waiting for one of the pool's would put a turn of the loop,
/// and all that the callers of the last batch do in it, between two batches.
final class AppendConnection {
    private enum State {
        case closed
        case opening
        case open(Connection)
        /// The last attempt failed, and the next may not begin yet.
        case resting
    }

    private let pool: Pool
    private var state = State.closed
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
        guard case .open(let connection) = state else { return nil }
        if !connection.assumeIsolated({ $0.isClosed }) { return connection }
        state = .closed
        return nil
    }

    /// Calls back on the loop when there may be a connection, or none for good.
    func open(_ onEnd: @escaping @Sendable () -> Void) {
        guard case .closed = state else { return }
        state = .opening
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
        case .success(let connection):
            state = .open(connection)
            failure = nil
            backoff.succeeded()
            onEnd()
        case .failure(let error):
            state = .resting
            failure = error
            let delay = error == .closed ? Duration.zero : backoff.next()
            nonisolated(unsafe) let resting = self
            pool.loop.schedule(after: delay) {
                resting.state = .closed
                onEnd()
            }
        }
    }
}
