import Foundation
import Postgres
import TestSupport

/// What Postgres' own programs make of backups.
extension CopiedServer {
    /// Of a server whose log of changes is archived.
    static func settings(archive: String) -> [String: String] {
        [
            "fsync": "off", "shared_buffers": "16MB", "archive_mode": "on",
            "archive_command": "cp %p \(archive)/%f",
        ]
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
        try programs.shell("\(script) <<'END'\n\(settings)\nEND")
        try start()
        // It lets readers in before it is promoted.
        let psql = programs.path(of: "psql")
        let question = "SELECT pg_is_in_recovery()"
        try programs.shell(
            "until \(psql) -qAtX -d '\(url)' -c '\(question)' | grep -q f; do sleep 0.1; done")
    }

    /// `pg_dump` of one database and `pg_restore` into another.
    static func dump(_ url: String, into other: String, _ server: PrivatePostgres) throws {
        let programs = ServerPrograms(of: server)
        let file = FileManager.default.temporaryDirectory.path
        let dump = "\(file)/islet-\(ProcessInfo.processInfo.globallyUniqueString).dump"
        defer { unlink(dump) }
        try programs.run("pg_dump", ["-Fc", "-d", url, "-f", dump])
        try programs.run("pg_restore", ["--no-owner", "-d", other, dump])
    }
}
