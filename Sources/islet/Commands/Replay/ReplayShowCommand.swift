import Domain
import EventStore
import Replay

extension Command {
    static let replayShow = Command(
        path: ["replay", "show"],
        summary: "Show an activity's history: events, states, decisions and what became of them.",
        discussion: """
            Folds the activity's events afresh; stored snapshots are not used. Can never push.
            """,
        operands: [
            Command.Operand(name: "ACTIVITY", help: "the activity's id, its CloudEvents subject")
        ],
        options: ReplaySource.options + [
            OptionSpec("json", .flag, "Print one JSON document instead of text.")
        ],
        examples: [
            "islet replay show world-cup-2022-final",
            "islet replay show order-1042 --tenant pizzeria --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let activity = ActivityID(rawValue: arguments.operand("ACTIVITY"))
        let timeline = try await ReplaySource.with(arguments) {
            store, tenant async throws(ReplayError) in
            try await Timeline.read(store, tenant: tenant.id, activity: activity)
        }
        if arguments.flag("json") {
            Console.print(Console.json(TimelineDocument(timeline)))
        } else {
            for line in TimelineText.lines(timeline) { Console.print(line) }
        }
    }

    static let replayVerify = Command(
        path: ["replay", "verify"],
        summary: "Check that the log has no holes and that everything stored follows from it.",
        discussion: """
            Reads the tenant's whole log, folds it again, and compares snapshots and decisions.
            Exit code 1 when something does not fit.
            """,
        options: ReplaySource.options + [
            OptionSpec("json", .flag, "Print one JSON document instead of text.")
        ],
        examples: ["islet replay verify", "islet replay verify --tenant pizzeria --json"]
    ) { (arguments) async throws(CommandFailure) in
        let report = try await ReplaySource.with(arguments) {
            store, tenant async throws(ReplayError) in
            try await Verifier.verify(store, tenant: tenant)
        }
        if arguments.flag("json") {
            Console.print(Console.json(report))
        } else {
            for line in VerificationText.lines(report) { Console.print(line) }
        }
        if !report.isSound { throw .reported }
    }
}

/// The database that a replay reads, and the tenant in it.
enum ReplaySource {
    static let options =
        [
            OptionSpec(
                "tenant", .text(placeholder: "NAME"),
                "Whose log; may be left out when there is only one tenant.")
        ] + Database.options

    static func with<Result: Sendable>(
        _ arguments: Arguments,
        _ body: @Sendable (EventStore, Tenant) async throws(ReplayError) -> Result
    ) async throws(CommandFailure) -> Result {
        let database = try await Database.open(
            arguments, schema: .leaveAlone, log: Log(lowest: .warning))
        let result: Swift.Result<Result, CommandFailure>
        do throws(CommandFailure) {
            let tenant = try await tenant(arguments.text("tenant"), in: database.store)
            do { result = .success(try await body(database.store, tenant)) } catch {
                throw .failed(explanation(of: error))
            }
        } catch { result = .failure(error) }
        await database.close()
        return try result.get()
    }

    static func tenant(
        _ name: String?, in store: EventStore
    ) async throws(CommandFailure) -> Tenant {
        let tenants: [Tenant]
        do { tenants = try await store.tenants.all() } catch {
            throw .failed(Database.explanation(of: error))
        }
        let names = tenants.map(\.name).joined(separator: ", ")
        if let name {
            guard let tenant = tenants.first(where: { $0.name == name }) else {
                throw .failed("there is no tenant '\(name)'; there are: \(names)")
            }
            return tenant
        }
        guard let only = tenants.first else { throw .failed("there is no tenant yet") }
        if tenants.count > 1 { throw .usage("--tenant is missing; there are: \(names)") }
        return only
    }

    private static func explanation(of error: ReplayError) -> String {
        switch error {
        case .store(let error): return Database.explanation(of: error)
        case .noSuchActivity(let activity, let similar):
            let hint = similar.map(\.rawValue).joined(separator: ", ")
            return "there is no activity '\(activity)'"
                + (hint.isEmpty ? "" : "; did you mean \(hint)?")
        case .policiesOfNewerVersion:
            return "a newer version of Islet has stored policies that this one cannot read: bring "
                + "this program up to date"
        case .unfoldable(let version, let error):
            return "version \(version) cannot be folded by this version of Islet: \(error)"
        }
    }
}
