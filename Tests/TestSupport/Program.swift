import Foundation
import Glibc

/// Programs that a test runs.
public enum Program {
    /// To its end. Not by Foundation's `Process`, which waits for what the program leaves running
    /// too.
    public static func run(_ words: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // The caller's directory may be closed to the user that the program runs as.
        let arguments = (["/usr/bin/env", "-C", "/"] + words).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var pid = pid_t()
        guard
            posix_spawn(&pid, "/usr/bin/env", &actions, nil, arguments + [nil], environ) == 0
        else { throw Failure(words: words) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(words: words) }
    }

    /// Leaves a shell running in a session of its own, which outlives this process.
    static func leave(_ script: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
        process.arguments = ["/bin/sh", "-c", script]
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    public struct Failure: Error { public var words: [String] }
}
