import Domain
import EventLoop
import Glibc

/// Runs what takes long with a progress bar, until its end or Ctrl-C, which cancels its task.
public enum LongRun {
    /// What its exit codes mean beside the usual ones.
    public static let exitCodes = ["130 interrupted"]

    /// - Throws: what the work throws; what failed after Ctrl-C was interrupted.
    public static func until<Result: Sendable>(
        _ body: @escaping @Sendable (ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        let signals = Signals.stream([SIGTERM, SIGINT])
        let bar = ProgressBar()
        let work = Task {
            await Swift.Result { () async throws(CommandFailure) in try await body(bar) }
        }
        let interruption = Task {
            for await _ in signals { work.cancel() }
        }
        let result = await work.value
        interruption.cancel()
        bar.end()
        if work.isCancelled, case .failure(.failed(let text)) = result {
            throw .interrupted("interrupted: \(text)")
        }
        return try result.get()
    }
}
