import Foundation
import Glibc
import Testing

@testable import Terminal

private let commands = CommandSet(
    [
        Command(
            path: ["keys", "create"], summary: "Create a key.",
            options: [
                OptionSpec.tenant("Whose."),
                OptionSpec("scope", .choice(["read", "write"]), "What for. More.", repeats: true),
                OptionSpec("key-file", .text(placeholder: "FILE"), "Where [to] it's put: here."),
            ], examples: ["islet keys create"], run: { _ in }),
        Command(
            path: ["keys", "list"], summary: "List keys.", examples: ["islet keys list"],
            run: { _ in }),
        Command(
            path: ["serve"], summary: "Serve.", discussion: "A line.\n.and a dot → back\\slash",
            options: [OptionSpec("port", .integer(0...9), "Port.", default: "8")],
            examples: ["islet serve"], run: { _ in }),
    ], formerNames: ["keys make": "keys create"], otherVariables: ["ISLET_KEY"])

struct `Words that name no command` {
    @Test(
        arguments: [
            (["srve"], "unknown command 'srve'; did you mean 'serve'?"),
            (["nonsense"], "unknown command 'nonsense'; see islet --help"),
            (["keys"], "'keys' needs one of: islet keys create, islet keys list"),
            (["keys", "crete"], "unknown command 'keys crete'; did you mean 'islet keys create'?"),
            (["keys", "frobnicate"], "'keys' needs one of: islet keys create, islet keys list"),
            (["keys", "make"], "'keys make' is called 'islet keys create' now"),
            (["keys create"], "'keys create' is typed without quotes: islet keys create"),
            (["hlep"], "unknown command 'hlep'; did you mean 'help'?"),
        ] as [([String], String)])
    func `are answered with what was probably meant`(words: [String], answer: String) {
        #expect(commands.complaint(about: words) == answer)
    }

    @Test(arguments: [["srve"], ["help", "srve"], ["srve", "--help"], ["completions", "tcsh"]])
    func `end with code 2`(words: [String]) async {
        #expect(await commands.run(words, environment: [:]) == 2)
    }
}

struct `Asking for help` {
    @Test(arguments: [
        ["help"], ["help", "help"], ["help", "keys"], ["help", "keys", "create"],
        ["help", "keys create"],
        ["help", "--man"], ["help", "serve", "--man"], ["keys", "--help"], ["-h"], ["-v"],
        ["--version"],
        ["completions", "zsh"], ["completions", "--help"],
    ])
    func `is there in every way that people ask for it`(words: [String]) async {
        #expect(await commands.run(words, environment: [:]) == 0)
    }

    @Test func `says the numbers, the default and the variable in brackets`() {
        let text = commands.command(for: ["serve"]).map(Help.text) ?? ""
        #expect(
            text.contains("Port. [values: 0 to 9] [default: 8] [env: ISLET_PORT]\n"), "\(text)")
    }

    @Test func `names the commit of the build, when there is one`() {
        #expect(Version.full(commit: "") == Version.current)
        #expect(Version.full(commit: "0123abc+") == "\(Version.current) (0123abc+)")
    }
}

struct `What was printed` {
    @Test(arguments: [(nil, 0), (EPIPE, 141), (ENOSPC, 1), (EBADF, 1)] as [(Int32?, Int32)])
    func `decides the exit code when it did not get there`(code: Int32?, exitCode: Int32) {
        #expect(Console.exitCode(after: code) == exitCode)
    }
}

struct `Variables of the environment` {
    private let known: Set = ["ISLET_DATABASE_URL", "ISLET_DATA_DIR", "ISLET_TO", "ISLET_PORT"]

    @Test(arguments: [
        ("ISLET_DATABSE_URL", "x", "; did you mean ISLET_DATABASE_URL?"),
        ("ISLET_XYZZY", "x", "; unset it"),
    ])
    func `that no option has are refused`(name: String, text: String, end: String) {
        let complaint = EnvironmentVariables.complaint(about: [name: text], known: known)
        #expect(
            complaint == "no option is called like the environment variable \(name)\(end)")
    }

    @Test(arguments: [
        ("ISLET_DATA_DIR", "x"), ("ISLET_SERVICE_HOST", "10.0.0.1"),
        ("ISLET_SERVICE_PORT_HTTP", "80"), ("ISLET_PORT_80_TCP_ADDR", "10.0.0.1"),
        ("ISLET_METRICS_PORT", "tcp://10.0.0.1:80"), ("DATABASE_URI", "x"),
    ])
    func `that are known, another's, or a service's in Kubernetes are not`(
        name: String, text: String
    ) {
        #expect(EnvironmentVariables.complaint(about: [name: text], known: known) == nil)
    }

    @Test func `are refused before the command runs, and not for its help`() async {
        let slip = ["ISLET_PROT": "1"]
        #expect(await commands.run(["serve"], environment: slip) == 2)
        #expect(await commands.run(["serve", "--help"], environment: slip) == 0)
        #expect(await commands.run(["serve"], environment: ["ISLET_KEY": "k"]) == 0)
        let link = ["ISLET_PORT": "tcp://10.0.0.1:8080"]
        #expect(await commands.run(["serve"], environment: link) == 0)
    }
}

struct `A manual page` {
    @Test func `is taken by groff without a warning`() async throws {
        try #require(FileManager.default.fileExists(atPath: "/usr/bin/groff"))
        let pages = [
            ManPage.text(of: commands.commands, isWhole: true),
            ManPage.text(of: [try #require(commands.command(for: ["serve"]))], isWhole: false),
        ]
        for page in pages {
            let result = try run("groff -ww -man -Tutf8 -P-c -P-b -P-u -P-o 2>&1", page)
            #expect(
                result.contains("[values: 0 to 9] [default: 8] [env: ISLET_PORT]"), "\(result)")
            #expect(result.contains(".and a dot → back\\slash"), "\(result)")
            #expect(!result.contains("warning"), "\(result)")
        }
    }
}

struct `Completions of shells` {
    private func completed(_ words: String...) throws -> [String] {
        let script = Completions(of: commands.commands).script(for: .bash)
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let asking = """

            COMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count - 1); COMPREPLY=()
            _islet
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        return try run("bash", script + asking).split(separator: "\n").map(String.init)
    }

    @Test func `of bash know commands, options and their values`() throws {
        #expect(try completed("islet", "ser") == ["serve"])
        #expect(try completed("islet", "keys", "") == ["create", "list"])
        #expect(try completed("islet", "keys", "create", "--sc") == ["--scope"])
        #expect(try completed("islet", "keys", "create", "--scope", "") == ["read", "write"])
        #expect(
            try completed("islet", "keys", "create", "--tenant", "a", "--ke") == ["--key-file"])
        #expect(try completed("islet", "serve", "--port", "") == [])
        #expect(try completed("islet", "completions", "f") == ["fish"])
        #expect(
            try completed("islet", "keys", "create", "--key-file", "/etc/passw").contains(
                "/etc/passwd"))
    }

    @Test(arguments: [Completions.Shell.zsh, .fish])
    func `of other shells are taken by them, where they are`(shell: Completions.Shell) throws {
        let script = Completions(of: commands.commands).script(for: shell)
        #expect(script.contains("scope") && script.contains("read write"))
        #expect(script.contains(shell == .zsh ? "\\[to\\]" : "it\\'s put"))
        let finds = "command -v \(shell.rawValue) > /dev/null || exit 0"
        #expect(try run("\(finds); \(shell.rawValue) -n /dev/stdin 2>&1", script).isEmpty)
    }
}

/// - Returns: what a shell's command wrote, with the text as its input.
private func run(_ command: String, _ input: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    let file = NSTemporaryDirectory() + "islet-shell-\(UUID().uuidString)"
    try input.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let output = Pipe()
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: file))
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
}
