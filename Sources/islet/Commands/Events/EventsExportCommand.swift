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
        options: [
            ReplaySource.tenantOption, ExportRun.to,
            OptionSpec(
                "after", .integer(0...Int.max), "Only later positions of the log.", default: "0"),
            OptionSpec(
                "activity", .text(placeholder: "ID"), "Only the events of this activity."),
        ] + ExportRun.options + Database.options,
        examples: [
            "islet events export --tenant pizzeria --to /backup/pizzeria",
            "islet events export --activity order-1042 --to order-1042.ndjson",
            "islet events export --activity order-1042 --redact-key-file key --to support.ndjson",
            "islet events export --until 2026-06-01T00:00:00Z --to may --json",
        ]
    ) { (arguments) async throws(CommandFailure) in
        try await ExportRun.run(
            arguments, activity: arguments.text("activity"),
            from: .number(Int64(arguments.integer("after") ?? 0) + 1))
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
