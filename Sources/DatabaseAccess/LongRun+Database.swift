public import Terminal

extension LongRun {
    /// With a database.
    public static func with<Result: Sendable>(
        _ arguments: Arguments, schema: Database.Schema,
        _ body:
            @escaping @Sendable (Database, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await until { (bar) async throws(CommandFailure) in
            let database = try await Database.open(
                arguments, schema: schema, log: Log(lowest: .warning))
            let result: Swift.Result<Result, CommandFailure>
            do throws(CommandFailure) { result = .success(try await body(database, bar)) } catch {
                result = .failure(error)
            }
            await database.close()
            return try result.get()
        }
    }
}
