import EventStore
import Postgres

extension EventStoreError {
    /// The one table from the database's errors to the store's.
    init(_ error: PostgresError) {
        switch error {
        case .server(let serverError):
            if error.isTransient {
                self = .unavailable(detail: "\(serverError.sqlState) \(serverError.message)")
            } else if serverError.sqlState == SQLState.undefinedTable {
                self = .schema(detail: "\(serverError.message): migrate the database first")
            } else if serverError.sqlState == SQLState.tenantMoving {
                self = .moving(detail: serverError.message)
            } else {
                let constraint = serverError.constraint.map { " (\($0))" } ?? ""
                self = .failed(
                    sqlState: serverError.sqlState, detail: serverError.message + constraint)
            }
        case .cannotConnect(let detail):
            self = .unavailable(detail: "cannot connect to the database: \(detail)")
        case .notAdmitted(let serverError):
            self = .unavailable(
                detail: "the database lets nobody in: \(serverError.sqlState) "
                    + serverError.message)
        case .sharedSession:
            self = .unavailable(detail: "a pooler gives one session to several clients")
        case .connectionLost(let detail):
            self = .outcomeUnknown(detail: "the connection to the database broke: \(detail)")
        case .notReplicated:
            self = .outcomeUnknown(detail: Self.standbyAwayDetail)
        case .timedOut: self = .unavailable(detail: "the database did not answer in time")
        case .poolTimedOut(let detail):
            self = .unavailable(detail: "no database connection in time: \(detail)")
        case .poolQueueFull:
            self = .unavailable(detail: "too many calls wait for a database connection")
        case .cancelled: self = .unavailable(detail: "the call was cancelled")
        case .closed: self = .unavailable(detail: "the store is closed")
        case .decoding(let column, let expected):
            self = .schema(detail: "column \(column) is not \(expected)")
        case .migration(let refusal): self = .schema(detail: refusal.description)
        case .privateServer(let detail): self = .unavailable(detail: detail)
        }
    }
}

/// What one call gives; what Postgres throws becomes the store's error.
func asked<Answer>(
    _ ask: @autoclosure () async throws(PostgresError) -> Answer
) async throws(EventStoreError) -> Answer {
    do throws(PostgresError) { return try await ask() } catch { throw EventStoreError(error) }
}

/// The same for several calls.
func withStoreErrors<R>(
    _ body: () async throws(PostgresError) -> R
) async throws(EventStoreError) -> R {
    try await asked(try await body())
}
