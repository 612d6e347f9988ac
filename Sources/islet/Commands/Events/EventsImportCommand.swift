import Archive
import DatabaseAccess
import Domain
import EventStore
import PostgresStore
import Terminal

extension Command {
    static let eventsImport = Command(
        path: ["events", "import"],
        summary: "Record an export in a tenant's log.",
        discussion: """
            The whole export is checked first; one that was changed, cut or has a gap is refused.
            Repeating an import is harmless. Ids, sources and times stay as they were, also the
            times of recording; in an empty log positions and versions do too. The tenant is
            created when there is none of that name. The events are folded like any others, and in a
            service that is live the tenant's phones get pushes: to replay the events, import them
            into a tenant made for it. What is sealed can be opened only with the keys of the tenant
            that it was sealed for; what cannot be opened is recorded as erased, and counted.
            """,
        options: [
            OptionSpec("from", .text(placeholder: "DIR|FILE|s3://…"), "What was exported."),
            OptionSpec.tenant("Whose log receives the events."),
            OptionSpec(
                "chain", .text(placeholder: "SHA256"),
                "Refuse any export but the one that ended with this chain value."),
            OptionSpec.json,
        ] + ArchiveLocation.options + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: [
            "islet events import --from /backup/pizzeria --tenant pizzeria",
            "islet events import --from order-1042.ndjson --tenant analysis --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let layout = try ArchiveLocation.layout(try arguments.required("from"), arguments)
        let name = try TenantName.check(arguments.required("tenant"))
        let summary = try await LongRun.with(arguments, schema: .create) {
            database, bar async throws(CommandFailure) -> Import.Summary in
            let known = try await Database.asked(try await database.store.tenants.all())
            do throws(ArchiveError) {
                return try await Import.run(
                    from: layout, chain: arguments.text("chain"), now: WallClock.now(),
                    into: .postgres(database.pool),
                    tenant: { () async throws(EventStoreError) -> Tenant in
                        let tenant = try await database.store.tenants.ensure(name)
                        // Here, because it stays when the import is refused.
                        if !known.contains(where: { $0.name.hasBytes(of: name) }) {
                            Console.note(TenantName.created(name, among: known))
                        }
                        return tenant
                    },
                    seals: { SubjectSeals(database.store.erasure, of: $0) },
                    report: { bar.show($0) })
            } catch { throw ArchiveRun.failure(error) }
        }
        if summary.unopened > 0 {
            Console.note(
                "\(summary.unopened.counted("sealed value")) could not be opened, and the log has "
                    + "erased-… instead: it was erased, or its key is with another tenant or in "
                    + "another database.")
        }
        if let name = summary.firstJoined {
            Console.note(
                "Of \(summary.joined.counted("activity", "activities")) of the export, such as "
                    + "\(name), the events follow those of another activity of that name, as if "
                    + "both were one. If it was dropped and reported again, import each export "
                    + "into a tenant of its own to have them apart.")
        }
        Console.answer(arguments, summary, summary.text)
    }
}

extension Import.Summary {
    var text: String {
        let places =
            keepsPositions
            ? "Positions and versions are those of the export."
            : "Positions or versions differ from the export's: the log was not empty, or the "
                + "export is a part of a log or has an event twice."
        let missing = firstWithoutBeginning.map {
            "\nOf \(withoutBeginning.counted("activity", "activities")), such as \($0), the first "
                + "events are missing, which can block them. If an earlier export has them, import "
                + "both into a new tenant, the earlier one first."
        }
        return "Recorded \(recorded.counted("event")) for \(tenant); "
            + "\(alreadyKnown) were known already.\n\(places)" + (missing ?? "")
    }
}
