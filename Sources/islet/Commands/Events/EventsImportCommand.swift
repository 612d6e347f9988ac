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
            into a tenant made for it.
            """,
        options: [OptionSpec("from", .text(placeholder: "DIR|FILE"), "What was exported.")]
            + ImportRun.options,
        examples: [
            "islet events import --from /backup/pizzeria --tenant pizzeria",
            "islet events import --from order-1042.ndjson --tenant analysis --json",
        ]
    ) { (arguments) async throws(CommandFailure) in try await ImportRun.run(arguments) }
}
