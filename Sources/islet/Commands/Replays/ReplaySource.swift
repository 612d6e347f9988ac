import Archive
import DatabaseAccess
import Domain
import EventStore
import Replay
import Terminal

/// What a replay reads: a tenant's log in a database, through a session that can change nothing, or
/// an export of one.
enum ReplaySource {
    static let tenantOption = OptionSpec.tenant(
        "Whose log; may be left out when there is only one tenant.")

    static let options = sources(of: tenantOption)

    /// What exit codes of replays mean beside the usual ones.
    static let exitCodes = LongRun.exitCodes + ["141 nobody reads the output"]

    /// - Parameter tenant: says whose log is read.
    static func sources(of tenant: OptionSpec) -> [OptionSpec] {
        [
            tenant,
            OptionSpec(
                "from", .text(placeholder: "DIR|FILE|s3://…"),
                "An export to read instead of a database; it has no ledger and no policies. Given "
                    + "more than once: exports that follow each other, read as one.",
                repeats: true),
        ] + ArchiveLocation.options + Database.options
    }

    typealias Reading<Result> = @Sendable (History, ProgressBar) async throws(ReplayError) -> Result

    static func with<Result: Sendable>(
        _ arguments: Arguments, _ body: @escaping Reading<Result>
    ) async throws(CommandFailure) -> Result {
        if arguments.text("from") != nil { return try await withExports(arguments, body) }
        return try await LongRun.with(arguments, schema: .readOnly) {
            database, bar async throws(CommandFailure) in
            let tenant = try await tenant(arguments.text("tenant"), in: database.store)
            return try await asked(try await body(History(database.store, of: tenant), bar))
        }
    }

    /// Of the tenant that is named; without a name, of one tenant after the other.
    static func withEach<Result: Sendable>(
        _ arguments: Arguments, _ body: @escaping Reading<Result>
    ) async throws(CommandFailure) -> [Result] {
        if arguments.text("from") != nil { return [try await withExports(arguments, body)] }
        return try await LongRun.with(arguments, schema: .readOnly) {
            database, bar async throws(CommandFailure) in
            let store = database.store
            let named = arguments.text("tenant")
            let chosen =
                if let named { [try await tenant(named, in: store)] } else { try await here(store) }
            var results: [Result] = []
            for one in chosen {
                results.append(try await asked(try await body(History(store, of: one), bar)))
            }
            return results
        }
    }

    private static func withExports<Result: Sendable>(
        _ arguments: Arguments, _ body: @escaping Reading<Result>
    ) async throws(CommandFailure) -> Result {
        for name in ["tenant"] + Database.options.map(\.name) where arguments.isTyped(name) {
            throw .usage("--from is an export and --\(name) a database's; give one of them")
        }
        let layouts = try arguments.texts("from").map { (path) throws(CommandFailure) in
            try ArchiveLocation.layout(path, arguments)
        }
        return try await ArchiveRun.reading(layouts) {
            exports, bar async throws(CommandFailure) in
            try await asked(try await body(History(exports), bar))
        }
    }

    static func tenant(
        _ name: String?, in store: EventStore
    ) async throws(CommandFailure) -> Tenant {
        if let name { return try await TenantName.tenant(called: name, in: store) }
        let tenants = try await here(store)
        guard tenants.count == 1, let only = tenants.first else {
            let names = tenants.map(\.name).joined(separator: ", ")
            throw .usage("--tenant is missing; there are: \(names)")
        }
        return only
    }

    /// All that may be chosen. One that moves is in the other cell's charge, and its log here is
    /// not whole.
    private static func here(_ store: EventStore) async throws(CommandFailure) -> [Tenant] {
        let tenants = try await Database.asked(try await store.tenants.all())
        // Asked last: one that has come in between is whole.
        let elsewhere = try await Database.asked(try await store.replays.elsewhere())
        let found = tenants.filter { !elsewhere.contains($0.id) }
        guard !found.isEmpty else { throw .failed("there is no tenant yet") }
        return found
    }

    /// What a replay gives; what goes wrong is said as commands say it.
    static func asked<Answer>(
        _ ask: @autoclosure () async throws(ReplayError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        do throws(ReplayError) { return try await ask() } catch { throw failure(error) }
    }

    static func failure(_ error: ReplayError) -> CommandFailure {
        // Ctrl-C in the middle of a read looks like a store that is away.
        if Task.isCancelled || error == .interrupted {
            return .interrupted("interrupted; nothing was changed")
        }
        return switch error {
        case .store(let error): .failed(Database.explanation(of: error))
        case .policy: .usage(error.description)
        default: .failed(error.description)
        }
    }
}
