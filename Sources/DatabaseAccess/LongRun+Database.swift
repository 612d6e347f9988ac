import EventStore
import Postgres
import PostgresStore
public import Terminal

extension LongRun {
    /// With a database that shows what it has.
    public static func with<Result: Sendable>(
        _ arguments: Arguments, schema: Database.Schema,
        _ body:
            @escaping @Sendable (Database, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await until { (bar) async throws(CommandFailure) in
            try await Database.whileOpen(arguments, schema) {
                database async throws(CommandFailure) -> Result in
                try await database.requireWalls()
                return try await body(database, bar)
            }
        }
    }
}

extension Database {
    /// A tenant's log is read as the tenant sees it: what is hidden would look lost, and would be
    /// restored over what is there.
    fileprivate func requireWalls() async throws(CommandFailure) {
        guard try await walls().hideRows else { return }
        throw .failed(
            "the database hides rows that are there, or refuses to show them, so that events would "
                + "look lost: islet doctor says of which tables, and which command repairs it")
    }

    /// Why nobody can say whether the log is whole; nil if all is shown that tells.
    public func hiddenLog() async throws(CommandFailure) -> String? {
        let tables = try await walls().hiddenLog
        guard !tables.isEmpty else { return nil }
        return LogExplanation.hidden(tables) + ": islet doctor says which command repairs it"
    }

    private func walls() async throws(CommandFailure) -> TenantWalls {
        do throws(PostgresError) {
            return try await TenantWalls.look(pool, visitors: visitors)
        } catch {
            throw .failed(Self.explanation(of: error))
        }
    }
}
