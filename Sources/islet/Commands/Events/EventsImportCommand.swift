import Archive
import EventStore

extension Command {
    static let eventsImport = Command(
        path: ["events", "import"],
        summary: "Record an export in a tenant's log.",
        discussion: """
            The whole export is checked first; one that was changed, cut or has a hole is refused.
            Repeating an import is harmless. Ids, sources and times stay as they were, also the
            times of recording; in an empty log positions and versions do too. The tenant is
            created when there is none of that name.
            """,
        options: [
            OptionSpec("from", .text(placeholder: "DIR|FILE"), "What was exported."),
            OptionSpec("tenant", .text(placeholder: "NAME"), "Whose log receives the events."),
            OptionSpec(
                "chain", .text(placeholder: "SHA256"),
                "Refuse any export but the one that ended with this chain value."),
            OptionSpec("json", .flag, "Print the summary as one JSON document."),
        ] + Database.options,
        examples: [
            "islet events import --from /backup/pizzeria --tenant pizzeria",
            "islet events import --from order-1042.ndjson --tenant analysis --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let layout = Layout(try arguments.required("from"))
        let name = try TenantName.check(arguments.required("tenant"))
        let summary = try await ArchiveRun.with(arguments, schema: .bringUpToDate) {
            database, report async throws(CommandFailure) in
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
}
