import EventLoop
import EventStore
import Foundation
import Glibc
import Postgres
import TestSupport
import Testing

/// SIGHUP.
@Suite(.timeLimit(.minutes(5)))
struct `Files that a server reads again` {
    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    @Test func `are the database's URL and the master keys, and what is bad changes nothing`()
        async throws
    {
        let (database, other) = (try await TestDatabase.make(), try await TestDatabase.make())
        try await ScratchDirectory.with { directory in
            let (urlFile, keyFile) = (directory.file("url"), directory.file("keys"))
            try write(database.url, to: urlFile)
            try write(String(repeating: "ab", count: 32), to: keyFile)
            let options = ["--database-url-file", urlFile, "--master-key-file", keyFile]
            try await RunningServer.with(options, in: directory) { server in
                try await server.reload(
                    expecting: "read again: nothing has changed option=--database-url-file")
                try write("postgresql://nobody:secret@127.0.0.1:1/none", to: urlFile)
                try await server.reload(
                    expecting: "not taken over: what was read before stays in force")
                try write(other.url, to: urlFile)
                try await server.reload(
                    expecting: "it leads to another database, which takes a restart")
                try write("zz", to: keyFile)
                try await server.reload(
                    expecting: "option=--master-key-file why=\"--master-key-file: each line must")
                try write(
                    String(repeating: "cd", count: 32) + "\n" + String(repeating: "ab", count: 32),
                    to: keyFile)
                try await server.reload(expecting: "read again option=--master-key-file")
                try write("\(database.url)&application_name=renamed", to: urlFile)
                try await server.reload(expecting: "read again option=--database-url-file")
                #expect(!server.program.errors.contains("secret"))
                #expect(try await sessions(database, "renamed") == 0, "open ones stay")
                _ = try await database.pool.query(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND application_name LIKE 'islet/%'
                    """)
                try await waitUntil("new connections go by the new URL", within: 30) {
                    try await sessions(database, "renamed") > 0
                }
                try await waitUntil("the node is ready", within: 30) {
                    try await server.curl("/readyz", in: directory).status == 200
                }
            }
        }
    }

    @Test func `are none without such options, and the server lives on`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            try await RunningServer.with(["--database-url", database.url], in: directory) {
                server in
                await server.program.child.send(signal: SIGHUP)
                try await waitUntil("it says so", within: 30) {
                    server.program.errors.contains("SIGHUP: no option names a file")
                }
                #expect(try await server.curl("/readyz", in: directory).status == 200)
            }
        }
    }

    private func sessions(_ database: TestDatabase, _ name: String) async throws -> Int64 {
        let rows = try await database.pool.query(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = $1
            """, [.text(name)])
        return try rows.first?.get(0) ?? 0
    }
}
