import DatabaseAccess
import Terminal

extension Command {
    static let replayExport = Command(
        path: ["replay", "export"],
        summary:
            "Write one activity, or the log from some time on, to a checked file to take along.",
        discussion: """
            What islet events export writes: NDJSON with checksums, which every replay command reads
            with --from, and islet replay run and import take. Nothing is changed.
            """,
        operands: [
            Command.Operand(
                name: "ACTIVITY", help: "one activity; without it all of them", isOptional: true)
        ],
        options: [
            ReplaySource.tenantOption, ExportRun.to,
            OptionSpec(
                "since", .place(number: "POSITION"),
                "Only what was recorded from there on; an activity whose beginning is not there "
                    + "cannot be folded."),
        ] + ExportRun.options + Database.options,
        exitCodes: ["130 interrupted"],
        examples: [
            "islet replay export order-1042 --to order-1042.ndjson",
            "islet replay export order-1042 --redact --to support.ndjson",
            "islet replay export --since 2026-05-01T00:00:00Z --tenant pizzeria --to since-may",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let activity = arguments.operand("ACTIVITY")
        let since = arguments.place("since")
        if activity.isEmpty, since == nil {
            throw .usage("give an ACTIVITY or --since; a whole log is islet events export's")
        }
        try await ExportRun.run(
            arguments, activity: activity.isEmpty ? nil : activity, from: since ?? .number(1),
            later: { "--since \($0 + 1)" })
    }

    static let replayImport = Command(
        path: ["replay", "import"],
        summary: "Record an export in the log of a tenant, to replay it there.",
        discussion: """
            As islet events import does: the whole export is checked first, ids and times stay as
            they were, and repeating it is harmless. Import into a tenant made for it: its events
            are folded like any others, and in a service that is live its phones are told.
            """,
        operands: [Command.Operand(name: "FILE", help: "an export: its directory, or its .ndjson")],
        options: ImportRun.options,
        exitCodes: ["130 interrupted"],
        examples: ["islet replay import order-1042.ndjson --tenant analysis --data-dir ./copy"]
    ) { (arguments) async throws(CommandFailure) in
        try await ImportRun.run(arguments, from: arguments.operand("FILE"))
    }
}
