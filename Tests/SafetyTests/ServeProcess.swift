import EventLoop
import Foundation
import FoundationNetworking
import Glibc

@testable import Hosting

/// A real `islet serve` in a process of its own, to be killed without mercy and started again.
actor ServeProcess {
    struct DidNotStart: Error {
        var log: String
    }

    nonisolated let base: URL
    private let arguments: [String]
    private let logFile: String
    private var child: ChildProcess?
    private(set) var pid: Int32 = 0

    private static let loop = EventLoop(name: "children")

    /// - Parameters:
    ///   - store: options that say which Postgres to use.
    ///   - directory: for the server's log.
    ///   - roles: what the node does; empty for everything.
    init(store: [String], directory: String, roles: [String] = []) {
        let port = FreePort.choose(preferring: 0)
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            preconditionFailure("a port makes no URL invalid")
        }
        base = url
        logFile = directory + "/serve\(roles.isEmpty ? "" : "-\(port)").log"
        arguments =
            ["serve", "--port", "\(port)", "--log-level", "warning"] + store
            + roles.flatMap { ["--role", $0] }
    }

    /// Returns once the server answers.
    func start() async throws {
        // The server must not outlive the tests, however they end.
        let child = try await ChildProcess.start(
            "/usr/bin/setpriv", ["--pdeathsig", "KILL", Self.program] + arguments,
            output: logFile, errors: logFile, on: Self.loop)
        self.child = child
        pid = child.pid
        for _ in 0..<1_200 {
            if await isHealthy { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DidNotStart(log: log)
    }

    /// SIGKILL; returns when the process is gone.
    func kill() async {
        await child?.send(signal: SIGKILL)
        _ = await child?.ending()
    }

    /// SIGSTOP: it does nothing any more, and the system keeps its connections.
    func freeze() async { await child?.send(signal: SIGSTOP) }

    /// SIGCONT.
    func thaw() async { await child?.send(signal: SIGCONT) }

    /// SIGTERM; returns when the process has stopped.
    func stop() async {
        await child?.send(signal: SIGTERM)
        _ = await child?.ending()
    }

    var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }

    private var isHealthy: Bool {
        get async {
            guard let url = URL(string: "/healthz", relativeTo: base) else { return false }
            let answer = try? await URLSession.shared.data(from: url)
            return (answer?.1 as? HTTPURLResponse)?.statusCode == 200
        }
    }

    /// Runs another command of the same program to its end.
    /// - Parameter killingAfter: how long it is left alive; nil for as long as it wants.
    static func run(
        _ arguments: [String], directory: String, killingAfter: Duration? = nil
    ) async throws -> (code: Int32, output: String) {
        let file = "\(directory)/output-\(UUID().uuidString)"
        let child = try await ChildProcess.start(
            program, arguments, output: file, errors: file, on: loop)
        if let killingAfter {
            try? await Task.sleep(for: killingAfter)
            await child.send(signal: SIGKILL)
        }
        let ending = await child.ending()
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        guard case .exited(let code) = ending else { return (-1, text) }
        return (code, text)
    }

    /// Built beside the tests.
    static let program: String = {
        let tests =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "islet").path
    }()
}
