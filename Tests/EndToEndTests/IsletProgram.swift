import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// The built `islet`, run as a process of its own.
struct IsletProgram: Sendable {
    /// How a process ended and what it wrote.
    struct Result: Sendable {
        var ending: ChildProcess.Ending
        var output: String
        var errors: String

        var code: Int32? {
            guard case .exited(let code) = ending else { return nil }
            return code
        }
    }

    private static let loop = EventLoop(name: "processes")

    /// Beside this test's own program.
    static let path: String = {
        let me =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: me).deletingLastPathComponent().appending(path: "islet").path
    }()

    let child: ChildProcess
    private let outputFile: String
    private let errorFile: String

    var output: String { Self.text(outputFile) }
    var errors: String { Self.text(errorFile) }

    /// Starts `islet` with these arguments, in an environment without its variables.
    static func start(
        _ arguments: [String], in directory: ScratchDirectory,
        environment: [String: String] = [:]
    ) async throws -> IsletProgram {
        try await start(
            program: [path] + arguments, in: directory, environment: environment)
    }

    /// Starts any program that the search path has.
    static func start(
        program words: [String], in directory: ScratchDirectory,
        environment: [String: String] = [:]
    ) async throws -> IsletProgram {
        let name = UUID().uuidString
        let files = ["out", "err"].map { directory.file("\(name).\($0)") }
        let variables = ProcessInfo.processInfo.environment.keys
            .filter { $0.hasPrefix("ISLET_") || $0 == "DATABASE_URL" }
            .flatMap { ["-u", $0] }
        let settings = environment.map { "\($0.key)=\($0.value)" }
        let child = try await ChildProcess.start(
            "/usr/bin/env", variables + settings + words, output: files[0], errors: files[1],
            on: loop)
        return IsletProgram(child: child, outputFile: files[0], errorFile: files[1])
    }

    /// Runs `islet` to its end.
    static func run(
        _ arguments: [String], in directory: ScratchDirectory,
        environment: [String: String] = [:]
    ) async throws -> Result {
        await (try start(arguments, in: directory, environment: environment)).result()
    }

    /// True once it has ended, for loops that wait for its words.
    var isOver: Bool { kill(child.pid, 0) != 0 }

    func result() async -> Result {
        let ending = await child.ending()
        return Result(ending: ending, output: output, errors: errors)
    }

    private static func text(_ file: String) -> String {
        (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    }
}

/// A directory for one test, open to the user that a private Postgres runs as.
struct ScratchDirectory: Sendable {
    let path: String

    static func with(_ body: (ScratchDirectory) async throws -> Void) async throws {
        let path = "\(TestServer.place)/islet-e2e-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(ScratchDirectory(path: path))
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// A data directory for `islet serve`.
    var data: String { file("data") }

    /// Process number of the private Postgres in `data`; nil when none runs.
    var postgres: Int32? {
        let pidFile = try? String(contentsOfFile: data + "/cluster/postmaster.pid", encoding: .utf8)
        guard let line = pidFile?.split(separator: "\n").first, let pid = Int32(line),
            kill(pid, 0) == 0
        else { return nil }
        return pid
    }
}
