import CPostgres
import EventLoop
import Glibc

/// A program run to its end. Blocks: to be called inside a `BlockingCall`.
struct Command {
    /// The program and its arguments.
    var words: [String]

    struct Completion {
        /// The exit status, or 128 plus the signal, or -1 when it could not be started.
        var status: Int32
        /// The end of what it wrote to both streams, or why it could not be started.
        var output: String

        /// - Parameter code: the system's.
        static func notStarted(_ code: Int32) -> Completion {
            Completion(status: -1, output: "it could not be started: \(SystemError.text(code))")
        }
    }

    /// The output goes to a file in memory, for which no disk can be full or closed: as root, one
    /// in the directory of the server's user could be a link of theirs to anywhere. No pipe, since
    /// a server left running keeps it open.
    func run() -> Completion {
        let output = cpostgres_memory_file()
        guard output >= 0 else { return .notStarted(errno) }
        defer { close(output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Otherwise it would inherit which signals are blocked, and could not be ended.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // The caller's directory may be closed to the user the program runs as.
        let all = (["/usr/bin/env", "-C", "/"] + words).map { strdup($0) }
        defer { for word in all { free(word) } }
        var pid = pid_t()
        let code = posix_spawn(
            &pid, "/usr/bin/env", &actions, &attributes, all + [nil], environ)
        guard code == 0 else { return .notStarted(code) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            if errno != EINTR { return .notStarted(errno) }
        }
        let signal = status & 0x7f
        return Completion(
            status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
            output: BoundedFile.end(of: output))
    }
}
