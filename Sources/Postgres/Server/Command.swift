import Glibc

/// A program run to its end. Blocks: to be called inside a `BlockingCall`.
struct Command {
    var path: String
    var arguments: [String]
    /// Both output streams go here. A file and no pipe, since a server left running keeps it open.
    var outputPath: String

    /// - Returns: the exit status, or 128 plus the signal, or -1 when it could not be started.
    func run() -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // The caller's directory may be closed to the user the program runs as.
        let words = (["/usr/bin/env", "-C", "/", path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var pid = pid_t()
        guard posix_spawn(&pid, "/usr/bin/env", &actions, nil, words + [nil], environ) == 0 else {
            return -1
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            if errno != EINTR { return -1 }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
