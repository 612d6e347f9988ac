import Glibc
public import Postgres

/// A streaming standby of a private server, as an operator makes one: `pg_basebackup`, then a
/// server of its own in another directory.
public struct Standby: Sendable {
    /// Connection URL of its database `postgres`; read-only until it is promoted.
    public let url: String
    /// Where its socket is.
    public let directory: String
    /// What runs `pg_ctl` as the server's user, without arguments.
    private let control: [String]
    private var cluster: String { directory + "/cluster" }

    /// Copies the primary and starts.
    public init(of primary: PrivatePostgres, in directory: String) throws {
        self.directory = directory
        // `pg_ctl` has five arguments there.
        control = Array(primary.killCommand.dropLast(5))
        url = "postgresql:///postgres?host=\(directory)&user=postgres"
        let backup =
            control.dropLast() + [
                (control.last ?? "").replacing(/pg_ctl$/, with: "pg_basebackup"),
                "-d", primary.url, "-D", cluster, "-R", "-X", "stream", "-c", "fast",
            ]
        try Program.run(control.dropLast() + ["/bin/mkdir", "-m", "700", directory])
        try Program.run(Array(backup))
        try start()
    }

    public func start() throws {
        let options = "-c listen_addresses='' -c unix_socket_directories='\(directory)'"
        let log = directory + "/server.log"
        try Program.run(control + ["start", "-w", "-D", cluster, "-l", log, "-o", options])
    }

    /// Without a word to anybody, as a power cut does.
    public func kill() throws {
        try Program.run(control + ["stop", "-m", "immediate", "-D", cluster])
    }

    public func promote() throws { try Program.run(control + ["promote", "-w", "-D", cluster]) }

    public static func kill(_ server: PrivatePostgres) throws {
        try Program.run(server.killCommand)
    }
}

/// Programs that a test runs to their end.
public enum Program {
    /// Not by Foundation's `Process`, which waits for whatever the program leaves running too.
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

    public struct Failure: Error { public var words: [String] }
}
