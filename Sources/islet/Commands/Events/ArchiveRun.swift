import Archive
import DatabaseAccess
import Terminal

/// What exports and imports have in common.
enum ArchiveRun {
    static func with<Result: Sendable>(
        _ arguments: Arguments, schema: Database.Schema,
        _ body:
            @escaping @Sendable (Database, @escaping ProgressReport) async throws(CommandFailure)
            -> Result
    ) async throws(CommandFailure) -> Result {
        try await LongRun.with(arguments, schema: schema) {
            database, bar async throws(CommandFailure) in
            try await body(
                database,
                { bar.show($0.step.name, done: Int64($0.done), of: Int64($0.total)) })
        }
    }

    /// Checks an export, reads from it, and closes it.
    static func reading<Result: Sendable>(
        _ layout: Layout,
        _ body:
            @escaping @Sendable (ArchiveReader, ProgressBar) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try await LongRun.until { (bar) async throws(CommandFailure) in
            let reader: ArchiveReader
            do throws(ArchiveError) {
                reader = try await ArchiveReader.open(layout) {
                    bar.show("checking", done: $0.done, of: $0.total)
                }
            } catch { throw failure(error) }
            let result: Swift.Result<Result, CommandFailure>
            do throws(CommandFailure) {
                result = .success(try await body(reader, bar))
            } catch { result = .failure(error) }
            await reader.close()
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

extension ArchiveProgress.Step {
    fileprivate var name: String {
        switch self {
        case .checking: "checking "
        case .exporting: "exporting"
        case .importing: "importing"
        }
    }
}
