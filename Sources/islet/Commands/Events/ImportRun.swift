import Archive
import DatabaseAccess
import Domain
import EventStore
import PostgresStore
import Terminal

/// What commands that import have in common.
enum ImportRun {
    static let options =
        [
            OptionSpec("tenant", .text(placeholder: "NAME"), "Whose log receives the events."),
            OptionSpec(
                "chain", .text(placeholder: "SHA256"),
                "Refuse any export but the one that ended with this chain value."),
            OptionSpec("json", .flag, "Print the summary as one JSON document."),
        ] + Database.options

    static func run(_ arguments: Arguments, from path: String) async throws(CommandFailure) {
        let layout = Layout(path)
        let name = try TenantName.check(arguments.required("tenant"))
        let summary = try await ArchiveRun.with(arguments, schema: .create) {
            database, report async throws(CommandFailure) in
            try await noteIfNew(name, in: database.store)
            do throws(ArchiveError) {
                return try await Import.run(
                    from: layout, chain: arguments.text("chain"), now: WallClock.now(),
                    into: .postgres(database.pool),
                    tenant: { () async throws(EventStoreError) in
                        try await database.store.tenants.ensure(name)
                    }, report: report)
            } catch { throw ArchiveRun.failure(error) }
        }
        if arguments.flag("json") {
            Console.print(Console.json(summary))
        } else {
            let places =
                summary.keepsPositions
                ? "Positions and versions are those of the export."
                : "Positions or versions differ from the export's: the log was not empty, or the "
                    + "export is a part of a log."
            Console.print(
                "Recorded \(summary.recorded) events for \(summary.tenant); "
                    + "\(summary.alreadyKnown) were known already.\n\(places)")
        }
    }

    private static func noteIfNew(
        _ name: String, in store: EventStore
    ) async throws(CommandFailure) {
        do {
            let known = try await store.tenants.all()
            guard !known.contains(where: { $0.name.hasBytes(of: name) }) else { return }
            Console.note(TenantName.created(name, among: known))
        } catch { throw .failed(Database.explanation(of: error)) }
    }
}
