public import Postgres

/// A server whose data are a base backup of a private one, in another directory.
public struct CopiedServer: Sendable {
    /// Connection URL of its database `postgres`.
    public let url: String
    /// Where its socket is.
    public let directory: String
    public let programs: ServerPrograms
    private var cluster: String { directory + "/cluster" }

    /// Copies the primary, and starts nothing.
    /// - Parameter options: more of them for `pg_basebackup`.
    public init(
        of primary: PrivatePostgres, in directory: String, _ options: [String] = []
    ) throws {
        self.directory = directory
        programs = ServerPrograms(of: primary)
        url = "postgresql:///postgres?host=\(directory)&user=postgres"
        try programs.shell("mkdir -m 700 \(directory)")
        let backup = ["-d", primary.url, "-D", cluster, "-X", "stream", "-c", "fast"]
        try programs.run("pg_basebackup", backup + options)
    }

    /// A streaming standby, as an operator makes one; it runs, and is read-only until it is
    /// promoted.
    public static func standby(
        of primary: PrivatePostgres, in directory: String
    ) throws -> CopiedServer {
        let standby = try CopiedServer(of: primary, in: directory, ["-R"])
        try standby.start()
        return standby
    }

    public func start() throws {
        let options = "-c listen_addresses='' -c unix_socket_directories='\(directory)'"
        let log = directory + "/server.log"
        try programs.run("pg_ctl", ["start", "-w", "-D", cluster, "-l", log, "-o", options])
    }

    /// The primary's URL with both hosts.
    public func url(beside primary: PrivatePostgres, isFirst: Bool = false) -> String {
        let parameters = primary.url.split(separator: "host=").last ?? ""
        let host = String(parameters.split(separator: "&").first ?? "")
        let hosts = isFirst ? [directory, host] : [host, directory]
        return primary.url.replacing(
            "host=\(host)", with: "host=\(hosts.joined(separator: ","))")
    }

    /// Without a word to anybody, as a power cut does.
    public func kill() throws {
        try programs.run("pg_ctl", ["stop", "-m", "immediate", "-D", cluster])
    }

    public func promote() throws { try programs.run("pg_ctl", ["promote", "-w", "-D", cluster]) }
}

/// The programs of a private server's Postgres, run as its own user.
public struct ServerPrograms: Sendable {
    /// What changes the user.
    private let prefix: [String]
    private let control: String

    public init(of server: PrivatePostgres) {
        // `pg_ctl` has five arguments there.
        let words = Array(server.killCommand.dropLast(5))
        prefix = Array(words.dropLast())
        control = words.last ?? ""
    }

    public func path(of name: String) -> String { control.replacing(/pg_ctl$/, with: name) }

    public func run(_ name: String, _ words: [String]) throws {
        try Program.run(prefix + [path(of: name)] + words)
    }

    public func shell(_ script: String) throws {
        try Program.run(prefix + ["/bin/sh", "-c", script])
    }
}

extension PrivatePostgres {
    /// Without a word to anybody, as a power cut does.
    public func kill() throws { try Program.run(killCommand) }
}
