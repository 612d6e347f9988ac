import Archive
import DatabaseAccess
import Domain
import Terminal

/// What exports and imports have in common.
enum ArchiveRun {
    /// Checks an export, reads from it, and closes it.
    static func reading<Result: Sendable>(
        _ layout: Layout,
        _ body:
            @escaping @Sendable (ArchiveReader, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await reading(
            { (report) async throws(ArchiveError) in
                try await ArchiveReader.open(layout, report: report)
            }, close: { await $0.close() }, body)
    }

    /// The same of several that follow each other.
    static func reading<Result: Sendable>(
        _ layouts: [Layout],
        _ body:
            @escaping @Sendable (ArchiveSeries, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await reading(
            { (report) async throws(ArchiveError) in
                try await ArchiveSeries.open(layouts, report: report)
            }, close: { await $0.close() }, body)
    }

    private static func reading<Source: Sendable, Result: Sendable>(
        _ open: @escaping @Sendable (ProgressReport) async throws(ArchiveError) -> Source,
        close: @escaping @Sendable (Source) async -> Void,
        _ body: @escaping @Sendable (Source, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await LongRun.until { (bar) async throws(CommandFailure) in
            let source: Source
            do throws(ArchiveError) {
                source = try await open { bar.show("checking", done: $0.done, of: $0.total) }
            } catch { throw failure(error) }
            let result = await Swift.Result { () async throws(CommandFailure) in
                try await body(source, bar)
            }
            await close(source)
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
