import Archive
import Foundation
import Terminal

/// The secret that pseudonyms are made by.
enum RedactionOptions {
    static let options = [
        OptionSpec(
            "redact", .flag,
            "Make pseudonyms of ids, names and texts, and of all that no schema names as safe. "
                + "Equal texts get equal ones, so it folds as the log does. The secret is put "
                + "beside the export, in .redact.key; keep it."),
        OptionSpec(
            "redact-key-file", .text(placeholder: "FILE"),
            "The same by the secret in this file, 16 bytes or more, so that several exports "
                + "agree."),
    ]

    /// What `--redact-key-file` names.
    static func given(_ arguments: Arguments) throws(CommandFailure) -> Redaction? {
        guard let file = arguments.text("redact-key-file") else { return nil }
        guard !arguments.flag("redact") else {
            throw .usage("give --redact, or --redact-key-file with a secret of your own")
        }
        return try read(file, option: "redact-key-file")
    }

    /// The secret of an export that is to be written, made where there is none yet: the same
    /// command goes on with the same one. A place that is refused gets none.
    static func made(
        for export: String, at layout: Layout
    ) async throws(CommandFailure) -> Redaction {
        let file = file(beside: export)
        if !FileManager.default.fileExists(atPath: file) {
            do throws(ArchiveError) { try await Export.requireNothing(at: layout) } catch {
                throw ArchiveRun.failure(error)
            }
            let parent = URL(filePath: file).deletingLastPathComponent()
            try? FileManager.default.createDirectory(
                at: parent, withIntermediateDirectories: true)
            try SecretFile.write(
                "\(UUID().uuidString)\(UUID().uuidString)\n", to: file, option: "redact")
        }
        guard SecretFile.isOwn(file) else {
            throw .failed(
                "--redact: \(file) is not a file of yours, so others may know the secret in it; "
                    + "export to another place, or give --redact-key-file")
        }
        return try read(file, option: "redact")
    }

    /// Beside a directory and not in it, since that is passed on as a whole.
    static func file(beside export: String) -> String {
        ArchiveLocation.file(beside: export, ".redact.key")
    }

    private static func read(
        _ file: String, option: String
    ) throws(CommandFailure) -> Redaction {
        let key = try GivenFile.read(file, option: option)
        guard key.count >= Redaction.keyBytesMin else {
            throw .failed(
                "--\(option): \(file) has fewer than \(Redaction.keyBytesMin) bytes; openssl rand "
                    + "-hex 32 makes a key")
        }
        SecretFile.warnIfOpen(file, option: option)
        return Redaction(key: Array(key))
    }
}
