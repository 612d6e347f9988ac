import Archive
import Domain
import EventStore

extension Command {
    static let eventsExport = Command(
        path: ["events", "export"],
        summary: "Write a tenant's log, or a part of it, to NDJSON files with checksums.",
        discussion: """
            One CloudEvents object a line, as the API gives it, in segment files with a manifest.
            Interrupted, by Ctrl-C or a crash: the same command again goes on where it stopped.
            The server may run meanwhile; what is recorded after the start is not exported.
            """,
        options: ReplaySource.options + [
            OptionSpec("to", .text(placeholder: "DIR|FILE"), "Directory, or a file in .ndjson."),
            OptionSpec(
                "after", .integer(0...Int.max), "Only later positions of the log.", default: "0"),
            OptionSpec(
                "until", .text(placeholder: "POS|TIME"),
                "Last position, or the time after which nothing more was recorded, in RFC 3339."),
            OptionSpec(
                "activity", .text(placeholder: "ID"), "Only the events of this activity."),
            OptionSpec("json", .flag, "Print the summary as one JSON document."),
        ],
        examples: [
            "islet events export --tenant pizzeria --to /backup/pizzeria",
            "islet events export --activity order-1042 --to order-1042.ndjson",
            "islet events export --until 2026-06-01T00:00:00Z --to may --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let layout = Layout(try arguments.required("to"))
        let until = try ExportEnd.parse(arguments.text("until"))
        let selection = Selection(
            after: Int64(arguments.integer("after") ?? 0), until: arguments.text("until"),
            activity: arguments.text("activity"))
        let summary = try await ArchiveRun.with(arguments, schema: .leaveAlone) {
            database, report async throws(CommandFailure) in
            let tenant = try await ReplaySource.tenant(
                arguments.text("tenant"), in: database.store)
            do throws(ArchiveError) {
                return try await Export.run(
                    database.store.log, tenant: tenant, selection: selection, until: until,
                    to: layout, report: report)
            } catch { throw ArchiveRun.failure(error) }
        }
        if arguments.flag("json") {
            Console.print(Console.json(summary))
        } else {
            Console.print(
                "Exported \(summary.events) events of \(summary.tenant), positions "
                    + "\(summary.firstPosition) to \(summary.lastPosition), in "
                    + "\(summary.segments) segments (\(summary.segmentsKept) of them kept).\n"
                    + "Chain \(summary.chain)")
        }
    }
}

/// What `--until` says.
enum ExportEnd {
    static func parse(_ text: String?) throws(CommandFailure) -> Export.Until? {
        guard let text else { return nil }
        if let position = Int64(text), position >= 0 { return .position(position) }
        if let moment = Moment(rfc3339: text) { return .moment(moment) }
        throw .usage(
            "--until must be a position, or a time with a zone such as 2026-05-01T12:00:00Z")
    }
}
