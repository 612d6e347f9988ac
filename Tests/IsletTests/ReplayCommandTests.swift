import Domain
import Foundation
import Terminal
import Testing

@testable import islet

struct `The replay commands` {
    @Test func `refuse what they cannot use with exit code 2`() async throws {
        let file = NSTemporaryDirectory() + "islet-policy-\(UUID().uuidString).json"
        try Data(#"{"treshold":{}}"#.utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for words in [
            ["show"], ["show", "x", "--at", "yesterday"], ["show", "x", "--at", "0"],
            ["show", "x", "--follow", "--json"], ["show", "x", "--from", "y", "--phones"],
            ["show", "x", "--color", "pink"], ["why", "x", "--version", "0"], ["what-if"],
            ["what-if", "--threshold", "a=1"], ["what-if", "--kind", "Match", "--threshold", "a"],
            ["what-if", "--kind", "Chess"], ["what-if", "--policy", file, "--kind", "Match"],
            ["verify", "--from", "x", "--tenant", "y"], ["diff", "--fold", "this"], ["trace"],
            ["trace", "--from", file, "--to", file],
            ["run", "x"], ["run", "x", "--to", "ftp://example.org"],
            ["run", "x", "--to", "http://h/path"],
            ["run", "x", "--to", "http://localhost:1", "--speed", "slow", "--key-file", file],
        ] {
            let code = await Islet.commandSet.run(["replay"] + words, environment: [:])
            #expect(code == 2, "\(words)")
        }
    }

    @Test func `fail with exit code 1 for files that are not there`() async {
        for words in [
            ["run", "/nowhere.ndjson", "--to", "http://localhost:1", "--key-file", "/nowhere"],
            ["show", "x", "--from", "/nowhere/at/all"], ["verify", "--from", "/nowhere.ndjson"],
            ["diff", "--fold", "/nowhere/a", "--fold", "/nowhere/b"],
            ["what-if", "--policy", "/nowhere.json", "--kind", "Match"],
        ] {
            let code = await Islet.commandSet.run(["replay"] + words, environment: [:])
            #expect(code == 1, "\(words)")
        }
    }

    @Test func `leave folds that were kept as they are until there are others`() async throws {
        let directory = NSTemporaryDirectory() + "islet-folds-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let file = directory + "/folds.ndjson"
        try Data("kept".utf8).write(to: URL(filePath: file))
        let words = ["replay", "trace", "--from", "/nowhere", "--to"]
        #expect(await Islet.commandSet.run(words + [file], environment: [:]) == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["folds.ndjson"])
        let link = directory + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        try await ReplacedFile.write(link) { try? $0.write(contentsOf: Data("new".utf8)) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
        try await ReplacedFile.write("/dev/null") { try? $0.write(contentsOf: Data("x".utf8)) }
        let kind = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type]
        #expect(kind as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test(
        arguments: [
            ("auto", true, [:], true), ("auto", false, [:], false),
            ("auto", true, ["NO_COLOR": "1"], false), ("auto", true, ["TERM": "dumb"], false),
            ("auto", true, ["NO_COLOR": ""], true), ("always", false, ["NO_COLOR": "1"], true),
            ("never", true, [:], false),
        ] as [(String, Bool, [String: String], Bool)])
    func `paint where it is wanted`(
        choice: String, isTerminal: Bool, environment: [String: String], isPainted: Bool
    ) {
        let paint = Paint(choice, isTerminal: isTerminal, environment: environment)
        #expect(paint.isOn == isPainted)
        #expect(paint(.red, "x") == (isPainted ? "\u{1B}[31mx\u{1B}[0m" : "x"))
    }

    @Test func `take a pace as a factor or in a word`() throws {
        #expect(try RunPlan.speed("real") == 1)
        #expect(try RunPlan.speed("60x") == 60)
        #expect(try RunPlan.speed("max") == nil)
        #expect(throws: CommandFailure.self) { try RunPlan.speed("0x") }
    }

    @Test func `understand what a terminal sends for keys`() {
        let bytes = Array("n\u{1B}[C\u{1B}[D\u{1B}OAq".utf8) + [0x1B, 0x0D, 0x7F, 0x03, 0x04]
        #expect(
            RawTerminal.keys(bytes) == [
                .text("n"), .right, .left, .up, .text("q"), .escape, .enter, .erase, .interrupt,
                .endOfInput,
            ])
    }
}
