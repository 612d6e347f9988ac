import Foundation

@testable import Postgres

/// A server whose log of changes is archived, and what is made of its backups by Postgres' own
/// programs.
struct RestoredServer {
    let url: String
    private let control: [String]
    private let directory: String

    static func settings(archive: String) -> [String: String] {
        [
            "fsync": "off", "shared_buffers": "16MB", "archive_mode": "on",
            "archive_command": "cp %p \(archive)/%f",
        ]
    }

    /// A base backup of `primary`, taken when this is called and not started.
    init(backupOf primary: PrivatePostgres, in directory: String) throws {
        self.directory = directory
        control = Array(primary.killCommand.dropLast(5))
        url = "postgresql:///postgres?host=\(directory)&user=postgres"
        try Self.run(control.dropLast() + ["/bin/mkdir", "-m", "700", directory])
        try Self.run(
            Self.program("pg_basebackup", control) + [
                "-d", primary.url, "-D", directory + "/cluster", "-X", "stream", "-c", "fast",
            ])
    }

    /// Goes to a point in time, as a promoted server with a timeline of its own.
    func start(upTo target: String, from archive: String) throws {
        let settings = """
            restore_command = 'cp \(archive)/%f %p'
            recovery_target_name = '\(target)'
            recovery_target_action = promote
            archive_mode = off
            """
        let cluster = directory + "/cluster"
        let script = "touch \(cluster)/recovery.signal; cat >> \(cluster)/postgresql.auto.conf"
        try Self.run(
            control.dropLast() + ["/bin/sh", "-c", "\(script) <<'END'\n\(settings)\nEND"])
        try start()
        // It lets readers in before it is promoted.
        let psql = (control.last ?? "").replacing(/pg_ctl$/, with: "psql")
        let question = "SELECT pg_is_in_recovery()"
        let wait =
            "until \(psql) -qAtX -d '\(url)' -c '\(question)' | grep -q f; do sleep 0.1; done"
        try Self.run(control.dropLast() + ["/bin/sh", "-c", wait])
    }

    /// As it is, like a copy of the files.
    func start() throws {
        let options = "-c listen_addresses='' -c unix_socket_directories='\(directory)'"
        try Self.run(
            control + [
                "start", "-w", "-D", directory + "/cluster", "-l", directory + "/server.log", "-o",
                options,
            ])
    }

    func kill() throws {
        try Self.run(control + ["stop", "-m", "immediate", "-D", directory + "/cluster"])
    }

    /// `pg_dump` of one database and `pg_restore` into another.
    static func dump(_ url: String, into other: String, _ server: PrivatePostgres) throws {
        let control = Array(server.killCommand.dropLast(5))
        let file = FileManager.default.temporaryDirectory.path
        let dump = "\(file)/islet-\(ProcessInfo.processInfo.globallyUniqueString).dump"
        defer { unlink(dump) }
        try run(program("pg_dump", control) + ["-Fc", "-d", url, "-f", dump])
        try run(program("pg_restore", control) + ["--no-owner", "-d", other, dump])
    }

    private static func program(_ name: String, _ control: [String]) -> [String] {
        Array(control.dropLast()) + [(control.last ?? "").replacing(/pg_ctl$/, with: name)]
    }

    private static func run(_ words: some Collection<String>) throws {
        let words = Array(words)
        let command = Command(path: words[0], arguments: Array(words.dropFirst()))
        guard command.run().status == 0 else { throw Failure(words: words) }
    }

    struct Failure: Error { var words: [String] }
}
