public import Terminal

extension LongRun {
    /// With a database.
    public static func with<Result: Sendable>(
        _ arguments: Arguments, schema: Database.Schema,
        _ body:
            @escaping @Sendable (Database, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await until { (bar) async throws(CommandFailure) in
            try await Database.whileOpen(arguments, schema) {
                database async throws(CommandFailure) in try await body(database, bar)
            }
        }
    }
}
