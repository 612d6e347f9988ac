@testable import Postgres

/// A streaming standby of a private server, as an operator makes one: `pg_basebackup`, then a
/// server of its own in another directory.
struct Standby: Sendable {
    /// Connection URL of its database `postgres`; read-only until it is promoted.
    let url: String
    /// What runs `pg_ctl` as the server's user, without arguments.
    private let control: [String]
    private let directory: String
    private var cluster: String { directory + "/cluster" }

    /// Copies the primary and starts.
    init(of primary: PrivatePostgres, in directory: String) throws {
        self.directory = directory
        // `pg_ctl` has five arguments there.
        control = Array(primary.killCommand.dropLast(5))
        url = "postgresql:///postgres?host=\(directory)&user=postgres"
        let backup =
            control.dropLast() + [
                (control.last ?? "").replacing(/pg_ctl$/, with: "pg_basebackup"),
                "-d", primary.url, "-D", cluster, "-R", "-X", "stream", "-c", "fast",
            ]
        try Self.run(control.dropLast() + ["/bin/mkdir", "-m", "700", directory])
        try Self.run(Array(backup))
        try start()
    }

    func start() throws {
        let options = "-c listen_addresses='' -c unix_socket_directories='\(directory)'"
        let log = directory + "/server.log"
        try Self.run(control + ["start", "-w", "-D", cluster, "-l", log, "-o", options])
    }

    /// Without a word to anybody, as a power cut does.
    func kill() throws {
        try Self.run(control + ["stop", "-m", "immediate", "-D", cluster])
    }

    func promote() throws { try Self.run(control + ["promote", "-w", "-D", cluster]) }

    static func kill(_ server: PrivatePostgres) throws { try run(server.killCommand) }

    private static func run(_ words: [String]) throws {
        let command = Command(path: words[0], arguments: Array(words.dropFirst()))
        guard command.run().status == 0 else { throw Failure(words: words) }
    }

    struct Failure: Error { var words: [String] }
}
