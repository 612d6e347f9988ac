import Archive
import DatabaseAccess
import Domain
import EventStore
import Terminal

extension Command {
    static let eventsExport = Command(
        path: ["events", "export"],
        summary: "Write a tenant's log, or a part of it, to NDJSON files with checksums.",
        discussion: """
            One CloudEvents object a line, as the API gives it, in segment files with a manifest.
            Interrupted, by Ctrl-C or a crash: the same command again goes on where it stopped. A
            finished export takes nothing in any more: give another place for what comes later.
            The server may run meanwhile; what is recorded after the start is not exported.
            Every replay command reads an export with --from, and islet replay run reports it.
            """,
        options: [
            ReplaySource.tenantOption, ExportRun.to,
            OptionSpec(
                "after", .integer(0...Int(OptionSpec.positionMax)),
                "Only later positions of the log."),
            OptionSpec(
                "since", .place(number: "POSITION"),
                "Only what was recorded from there on; an activity whose beginning is not there "
                    + "cannot be folded.", excludes: "after"),
            OptionSpec(
                "activity", .text(placeholder: "ID"), "Only the events of this activity."),
        ] + ExportRun.options + Database.options,
        exitCodes: LongRun.exitCodes,
        examples: [
            "islet events export --tenant pizzeria --to /backup/pizzeria",
            "islet events export --activity order-1042 --to order-1042.ndjson",
            "islet events export --activity order-1042 --redact --to support.ndjson",
            "islet events export --since 2026-05-01T00:00:00Z --until 2026-06-01T00:00:00Z "
                + "--to may --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        try await ExportRun.run(
            arguments, activity: arguments.text("activity"),
            from: arguments.place("since")
                ?? .number(Int64(arguments.integer("after") ?? 0) + 1))
    }
}

/// What `--until` says.
enum ExportEnd {
    static func parse(_ text: String?) throws(CommandFailure) -> Export.Until? {
        guard let text else { return nil }
        if let position = Int64(text), 0...OptionSpec.positionMax ~= position {
            return .position(position)
        }
        if let moment = Moment(rfc3339: text) { return .moment(moment) }
        throw .usage(
            "--until must be a position, or a time with a zone such as 2026-05-01T12:00:00Z")
    }
}
