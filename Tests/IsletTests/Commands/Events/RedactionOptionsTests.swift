import Archive
import Foundation
import Terminal
import Testing

@testable import islet

/// A directory for one test.
private func withDirectory(_ body: (_ path: String) async throws -> Void) async throws {
    let directory = try PrivateDirectory("islet-redaction")
    defer { directory.remove() }
    try await body(directory.path)
}

struct `The secret of an export's pseudonyms` {
    private func given(_ line: String) throws(CommandFailure) -> Bool {
        try RedactionOptions.given(CommandWords("events export " + line).arguments()) != nil
    }

    private func make(_ export: String) async throws {
        _ = try await RedactionOptions.made(for: export, at: Layout(export))
    }

    @Test func `is made once, beside the export and for its owner alone`() async throws {
        try await withDirectory { path in
            let export = path + "/backups/pizzeria/"
            let file = path + "/backups/pizzeria.redact.key"
            try await make(export)
            let made = try String(contentsOfFile: file, encoding: .utf8)
            #expect(made.utf8.count >= 64)
            let facts = try FileManager.default.attributesOfItem(atPath: file)
            #expect(facts[.posixPermissions] as? Int == 0o600)
            #expect(!FileManager.default.fileExists(atPath: export))
            try await make(export)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == made)
        }
    }

    @Test func `is another one for another export`() async throws {
        try await withDirectory { path in
            for name in ["a", "b"] { try await make("\(path)/\(name)") }
            let secrets = try ["a", "b"].map {
                try String(contentsOfFile: path + "/\($0).redact.key", encoding: .utf8)
            }
            #expect(secrets[0] != secrets[1])
        }
    }

    @Test func `is not taken from behind a link`() async throws {
        try await withDirectory { path in
            let theirs = path + "/theirs"
            try SecretFile.write(String(repeating: "x", count: 64), to: theirs)
            try FileManager.default.createSymbolicLink(
                atPath: path + "/a.redact.key", withDestinationPath: theirs)
            let failure = await #expect(throws: CommandFailure.self) {
                try await make(path + "/a")
            }
            #expect(failure?.exitCode == 1)
            #expect(failure?.text.contains("is not a file of yours") == true)
            #expect(failure?.text.contains("--redact-key-file") == true)
        }
    }

    @Test func `is not left beside an export that is refused`() async throws {
        try await withDirectory { path in
            let (files, names) = (FileManager.default, ["a.ndjson", "b.ndjson", "c.ndjson"])
            try Data("{}\n".utf8).write(to: URL(filePath: path + "/a.ndjson"))
            try Data("{}\n".utf8).write(to: URL(filePath: path + "/b.ndjson.manifest.json"))
            try files.createSymbolicLink(
                atPath: path + "/c.ndjson", withDestinationPath: path + "/a.ndjson")
            let before = try files.contentsOfDirectory(atPath: path).sorted()
            for name in names {
                await #expect(throws: CommandFailure.self, "\(name)") {
                    try await make("\(path)/\(name)")
                }
            }
            #expect(try files.contentsOfDirectory(atPath: path).sorted() == before)
        }
    }

    @Test func `may be one's own, of sixteen bytes or more`() async throws {
        try await withDirectory { path in
            let file = path + "/key"
            try SecretFile.write("fifteen bytes..", to: file)
            let short = #expect(throws: CommandFailure.self) {
                try given("--redact-key-file \(file)")
            }
            #expect(short?.exitCode == 1)
            #expect(short?.text.hasPrefix("--redact-key-file: \(file)") == true)
            #expect(short?.text.contains("openssl rand -hex 32") == true)
            #expect(short?.text.contains("fifteen") == false)
            try SecretFile.write("sixteen bytes...", to: file)
            #expect(try given("--redact-key-file \(file)"))
        }
        #expect(
            throws: CommandFailure.failed("--redact-key-file: /nowhere does not exist")
        ) {
            try given("--redact-key-file /nowhere")
        }
        #expect(try !given("--to a"))
    }
}

struct `The command events export` {
    @Test func `masks or seals what is personal, and not both`() async throws {
        #expect(
            await CommandWords("events export --to a --sealed --redact").refusal()
                == .usage("--sealed and --redact contradict each other; give one of them"))
        try await withDirectory { path in
            try SecretFile.write("sixteen bytes...", to: path + "/key")
            let words = "events export --to a --sealed --redact-key-file \(path)/key"
            let refusal = await CommandWords(words).refusal()
            #expect(refusal?.exitCode == 2)
            for option in ["--sealed", "--redact-key-file"] {
                #expect(refusal?.text.contains(option) == true)
            }
        }
    }

    @Test func `begins after a position or at a place, and not both`() async {
        #expect(
            await CommandWords("events export --to a --since 3 --after 2").refusal()
                == .usage("--since and --after contradict each other; give one of them"))
        #expect(
            await CommandWords("events export --to a --since yesterday").refusal()
                == .usage(
                    "--since must be a position from 1, or a time with a zone such as "
                        + "2026-05-01T12:00:00Z"))
    }

    @Test(arguments: [
        ("--since", "5", "4"), ("--after", "5", "4"),
        ("--since", "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z"),
    ])
    func `does not end before it begins`(option: String, start: String, end: String) async {
        #expect(
            await CommandWords("events export --to a \(option) \(start) --until \(end)").refusal()
                == .usage(
                    "--until ends the export before \(option) begins it; give a later --until or "
                        + "an earlier \(option)"))
    }

    @Test(arguments: ["yesterday", "2026-05-01T12:00:00", "-1", "9007199254740992"])
    func `ends at a position or at a time with a zone`(end: String) async {
        #expect(
            await CommandWords("events export --to a --until \(end)").refusal()
                == .usage(
                    "--until must be a position, or a time with a zone such as "
                        + "2026-05-01T12:00:00Z"))
    }
}
