import Archive
import DatabaseAccess
import Domain
import Terminal

/// What exports and imports have in common.
enum ArchiveRun {
    /// Checks exports that follow each other, reads from them, and closes them.
    static func reading<Result: Sendable>(
        _ layouts: [Layout],
        _ body:
            @escaping @Sendable (ArchiveSeries, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await LongRun.until { (bar) async throws(CommandFailure) in
            let exports: ArchiveSeries
            do throws(ArchiveError) {
                exports = try await ArchiveSeries.open(layouts) {
                    bar.show("checking", done: $0.done, of: $0.total)
                }
            } catch { throw failure(error) }
            let result = await Swift.Result { () async throws(CommandFailure) in
                try await body(exports, bar)
            }
            await exports.close()
            return try result.get()
        }
    }

    static func failure(_ error: ArchiveError) -> CommandFailure {
        // Ctrl-C in the middle of a read looks like a store that is away.
        if Task.isCancelled { return .interrupted(ArchiveError.interrupted.description) }
        if case .store(let error) = error { return .failed(Database.explanation(of: error)) }
        return .failed(error.description)
    }
}

extension ProgressBar {
    func show(_ progress: ArchiveProgress) {
        let step =
            switch progress.step {
            case .checking: "checking "
            case .exporting: "exporting"
            case .importing: "importing"
            }
        show(step, done: progress.done, of: progress.total)
    }
}
