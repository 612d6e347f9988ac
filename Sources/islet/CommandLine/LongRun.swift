import EventLoop
import Glibc

/// Runs what takes long with a progress bar, until its end or Ctrl-C, which cancels its task.
enum LongRun {
    static func with<Result: Sendable>(
        _ arguments: Arguments, schema: Database.Schema,
        _ body:
            @escaping @Sendable (Database, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        let signals = Signals.stream([SIGTERM, SIGINT])
        let database = try await Database.open(
            arguments, schema: schema, log: Log(lowest: .warning))
        let bar = ProgressBar()
        let work = Task { () async -> Swift.Result<Result, CommandFailure> in
            do throws(CommandFailure) {
                return .success(try await body(database, bar))
            } catch { return .failure(error) }
        }
        let interruption = Task {
            for await _ in signals { work.cancel() }
        }
        let result = await work.value
        interruption.cancel()
        bar.end()
        await database.close()
        return try result.get()
    }
}
