import Archive
import EventLoop
import Glibc

/// Runs an export or import with a progress bar, until its end or Ctrl-C.
enum ArchiveRun {
    static func with<Result: Sendable>(
        _ arguments: Arguments, schema: Database.Schema,
        _ body:
            @escaping @Sendable (Database, @escaping ProgressReport) async throws(CommandFailure)
            -> Result
    ) async throws(CommandFailure) -> Result {
        let signals = Signals.stream([SIGTERM, SIGINT])
        let database = try await Database.open(
            arguments, schema: schema, log: Log(lowest: .warning))
        let bar = ProgressBar()
        let work = Task { () async -> Swift.Result<Result, CommandFailure> in
            do throws(CommandFailure) {
                return .success(try await body(database, { bar.show($0) }))
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

    static func failure(_ error: ArchiveError) -> CommandFailure {
        if case .store(let error) = error {
            // Ctrl-C in the middle of a read looks like a store that is away.
            return .failed(
                Task.isCancelled
                    ? ArchiveError.interrupted.description : Database.explanation(of: error))
        }
        return .failed(error.description)
    }
}
