import Archive
import Domain
import EventStore
import Foundation

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
            OptionSpec(
                "redact-key-file", .text(placeholder: "FILE"),
                "Make pseudonyms of names and free texts, by the secret in this file: 16 bytes "
                    + "or more. Equal texts get equal ones, so it folds as the log does."),
            OptionSpec("json", .flag, "Print the summary as one JSON document."),
        ],
        examples: [
            "islet events export --tenant pizzeria --to /backup/pizzeria",
            "islet events export --activity order-1042 --to order-1042.ndjson",
            "islet events export --activity order-1042 --redact-key-file key --to support.ndjson",
            "islet events export --until 2026-06-01T00:00:00Z --to may --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        let layout = Layout(try arguments.required("to"))
        let redaction = try RedactionKey.read(arguments)
        let until = try ExportEnd.parse(arguments.text("until"))
        let selection = Selection(
            after: Int64(arguments.integer("after") ?? 0), until: arguments.text("until"),
            activity: arguments.text("activity"), isRedacted: redaction != nil)
        let summary = try await ArchiveRun.with(arguments, schema: .leaveAlone) {
            database, report async throws(CommandFailure) in
            let tenant = try await ReplaySource.tenant(
                arguments.text("tenant"), in: database.store)
            do throws(ArchiveError) {
                return try await Export.run(
                    database.store.log, tenant: tenant, selection: selection, until: until,
                    to: layout, redaction: redaction, report: report)
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

/// What `--redact-key-file` names.
enum RedactionKey {
    static func read(_ arguments: Arguments) throws(CommandFailure) -> Redaction? {
        guard let file = arguments.text("redact-key-file") else { return nil }
        guard let key = FileManager.default.contents(atPath: file) else {
            throw .failed("--redact-key-file: \(file) cannot be read")
        }
        guard key.count >= Redaction.keyBytesMin else {
            throw .failed(
                "--redact-key-file: \(file) has fewer than \(Redaction.keyBytesMin) bytes; openssl "
                    + "rand -hex 32 makes a key")
        }
        SecretFile.warnIfOpen(file, option: "redact-key-file")
        return Redaction(key: Array(key))
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
