import Foundation
import Testing

@testable import Terminal

struct `A file of settings` {
    private let options = [
        OptionSpec("port", .integer(0...65535), "Port.", default: "8080"),
        OptionSpec("trusted-proxy", .text(placeholder: "CIDR"), "Proxy.", repeats: true),
        OptionSpec(
            "database-url", .text(placeholder: "URL"), "Database.", isSecret: true),
        OptionSpec("quiet", .flag, "Quiet."),
        OptionSpec("metrics-host", .text(placeholder: "A"), "Host.", needs: "metrics-port"),
        OptionSpec("metrics-port", .integer(0...65535), "Port."),
        OptionSpec("data-dir", .text(placeholder: "D"), "Directory.", excludes: "database-url"),
        ConfigFile.option,
    ]

    private func arguments(
        _ words: [String] = [], _ environment: [String: String] = [:], file: String
    ) throws -> Arguments {
        let path = NSTemporaryDirectory() + "islet-config-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try file.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
        let command = Command(
            path: ["serve"], summary: "", options: options, examples: [], run: { _ in })
        return try Arguments(
            words + ["--config", path], for: command, environment: environment,
            settings: options.filter { $0.name != "config" })
    }

    private func complaint(_ file: String, _ words: [String] = []) -> String {
        do {
            _ = try arguments(words, file: file)
            return ""
        } catch {
            return (error as? CommandFailure)?.text ?? "\(error)"
        }
    }

    @Test func `fills in what neither flags nor the environment say`() throws {
        let file = """
            # A comment.
            port = 1
              trusted-proxy=10.0.0.0/8
            trusted-proxy = fd00::/8

            database-url = postgresql://h/a?options=x#y
            """
        let found = try arguments(["--port", "3"], ["ISLET_TRUSTED_PROXY": "a,b"], file: file)
        #expect(found.integer("port") == 3)
        #expect(found.texts("trusted-proxy") == ["a", "b"])
        #expect(found.text("database-url") == "postgresql://h/a?options=x#y")
        #expect(found.origin("port") == .flag)
        #expect(found.origin("trusted-proxy") == .variable("ISLET_TRUSTED_PROXY"))
        #expect(found.origin("database-url") == .file(line: 6))
        #expect(found.origin("quiet") == .standard)
        let alone = try arguments(file: file)
        #expect(alone.texts("trusted-proxy") == ["10.0.0.0/8", "fd00::/8"])
        #expect(alone.settingsThatDiffer(from: found) == ["port", "trusted-proxy", "config"])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `has lines that end as any system ends them`(end: String) throws {
        let lines = ["# A comment.", "port = 1", "", "database-url = postgresql:///a", ""]
        let found = try arguments(file: lines.joined(separator: end))
        #expect(found.integer("port") == 1)
        #expect(found.origin("port") == .file(line: 2))
        #expect(found.text("database-url") == "postgresql:///a")
        #expect(found.origin("database-url") == .file(line: 4))
    }

    @Test func `is refused for every line that is wrong, with the line and the remedy`() {
        let text = complaint(
            """
            prot = 1
            port = x
            port
            port = 2
            port = 3
            quiet =
            database-url = "postgresql://u:secret@h/a"
            ISLET_PORT = 1
            """)
        let lines = text.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1)[1] }
        #expect(
            lines == [
                "islet serve has no setting 'prot'; did you mean port?",
                "port must be a whole number from 0 to 65535",
                "this is not name = value, and no comment, which has #",
                "port stands on line 4 already; leave one of them",
                "quiet has no value; leave the line out for the default",
                "database-url: write the value without quotes",
                "islet serve has no setting 'ISLET_PORT'; see islet config table",
            ])
        #expect(!text.contains("secret"))
        #expect(text.contains(":8: "))
    }

    @Test func `is refused when what it says contradicts itself, but flags may beat it`() throws {
        #expect(complaint("metrics-host = a").contains("says nothing without --metrics-port"))
        #expect(
            complaint("data-dir = d\ndatabase-url = postgresql:///a").contains("contradict"))
        #expect(complaint("metrics-host = a", ["--metrics-port", "1"]) == "")
        #expect(complaint("database-url = postgresql:///a", ["--data-dir", "d"]) == "")
    }

    @Test func `that is not there or not text is named`() {
        let command = Command(
            path: ["serve"], summary: "", options: options, examples: [], run: { _ in })
        #expect(throws: CommandFailure.failed("--config: /none does not exist")) {
            _ = try Arguments(["--config", "/none"], for: command, environment: [:])
        }
        #expect(complaint(String(repeating: "#", count: 70_000)).contains("longer than 64 KiB"))
    }
}
