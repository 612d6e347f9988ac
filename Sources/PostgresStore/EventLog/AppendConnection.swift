import Domain
import EventLoop
import Postgres

/// A connection of the appender's own. Waiting for one of the pool's would put an iteration of the
/// loop, and all that the callers of the last batch do in it, between two batches.
final class AppendConnection {
    private let dedicated: DedicatedConnection
    /// An attempt is under way, or the last one failed and the next may not begin yet.
    private var isTrying = false
    private var backoff = Backoff(
        from: .milliseconds(Limits.appendReconnectMillisMin),
        to: .milliseconds(Limits.appendReconnectMillisMax))
    /// Why there is no connection; nil while there is one, or no attempt has failed.
    private(set) var failure: PostgresError?

    init(pool: Pool) {
        dedicated = DedicatedConnection(pool: pool, settings: Statement.keyLookUpSettings)
    }

    /// The connection if it is there to be used. On the loop, like everything here.
    var current: Connection? { dedicated.assumeIsolated { $0.open } }

    /// Calls back on the loop when there may be a connection, or none for good.
    func open(_ onEnd: @escaping @Sendable () -> Void) {
        guard !isTrying, current == nil else { return }
        isTrying = true
        nonisolated(unsafe) let opening = self
        let loop = dedicated.pool.loop
        Task(executorPreference: loop) { [dedicated] in
            let result = await Result { () async throws(PostgresError) in
                try await dedicated.session()
            }
            loop.run { opening.opened(result, onEnd) }
        }
    }

    private func opened(
        _ result: Result<Connection, PostgresError>, _ onEnd: @escaping @Sendable () -> Void
    ) {
        switch result {
        case .success:
            (isTrying, failure) = (false, nil)
            backoff.succeeded()
            onEnd()
        case .failure(let error):
            failure = error
            let delay = error == .closed ? Duration.zero : backoff.next()
            nonisolated(unsafe) let resting = self
            dedicated.pool.loop.schedule(after: delay) {
                resting.isTrying = false
                onEnd()
            }
        }
    }
}
