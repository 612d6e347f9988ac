import EventLoop

/// One call on a connection, from its queueing until its caller gets the result. Touched on the
/// connection's loop only.
final class Operation {
    enum Work: Sendable {
        /// Any SQL without parameters, several statements allowed.
        case script(String)
        /// Statements in one round trip; all or none take effect unless they say BEGIN or COMMIT.
        case batch([Statement])
    }

    /// What the next result answers.
    enum Step {
        case prepare(PreparedStatement)
        /// Nil for one that is not prepared.
        case execute(PreparedStatement?)
    }

    let id: UInt64
    let work: Work
    private let onEnd: (Result<[Rows], PostgresError>) -> Void
    var timer: LoopTimer?
    var steps: [Step] = []
    var stepIndex = 0
    var results: [Rows] = []
    var error: PostgresError?
    /// Set when the caller no longer waits: the error that it gets if the server gives up too.
    var stopReason: PostgresError?
    var isCancelRequested = false

    init(
        id: UInt64, work: Work,
        onEnd: @escaping (Result<[Rows], PostgresError>) -> Void
    ) {
        self.id = id
        self.work = work
        self.onEnd = onEnd
    }

    /// Tells the caller.
    func finish() {
        timer?.cancel()
        timer = nil
        guard let error else {
            onEnd(.success(results))
            return
        }
        // A stopped statement that ended for another reason, or in success, says so.
        let isStop = error.sqlState == SQLState.queryCanceled
        onEnd(.failure(isStop ? stopReason ?? .timedOut : error))
    }

    /// A connection that broke says more than that the caller's patience had ended before: what was
    /// sent may have taken effect.
    func fail(_ error: PostgresError) {
        self.error = stopReason == .cancelled ? .cancelled : error
        finish()
    }
}
