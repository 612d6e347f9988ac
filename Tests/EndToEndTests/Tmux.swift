import Foundation
import TestSupport
import Testing

/// A terminal that nobody looks at, by tmux.
struct Tmux {
    private let directory: ScratchDirectory

    init(_ directory: ScratchDirectory) { self.directory = directory }

    private func tmux(_ words: [String]) async throws -> IsletProgram.Result {
        let program = try await IsletProgram.start(
            program: ["tmux", "-S", directory.file("tmux")] + words, in: directory)
        return await program.result()
    }

    func start(_ command: String) async throws {
        let script = directory.file("script")
        try (command + "\nsleep 60\n").write(toFile: script, atomically: true, encoding: .utf8)
        let result = try await tmux([
            "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-s", "walk",
            "bash '\(script)'", ";", "set", "status", "off",
        ])
        try #require(result.code == 0, "\(result.errors)")
    }

    func keys(_ keys: String...) async throws {
        _ = try await tmux(["send-keys", "-t", "walk"] + keys)
    }

    func resize(_ columns: Int, _ rows: Int) async throws {
        _ = try await tmux(["resize-window", "-t", "walk", "-x", "\(columns)", "-y", "\(rows)"])
    }

    func screen() async throws -> [String] {
        let result = try await tmux(["capture-pane", "-p", "-t", "walk"])
        return result.output.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    func wait(_ text: String) async throws {
        try await waitUntil("'\(text)' on the screen", within: 10) {
            try await screen().contains { $0.contains(text) }
        }
    }

    func end() async { _ = try? await tmux(["kill-server"]) }
}
