import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Postgres

/// Runs `body` with a new directory and removes that afterwards.
private func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
    let folder = TestServer.temporaryDirectory()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

struct `A program that is run to its end` {
    private func run(_ words: String...) async throws -> Command.Completion {
        try await BlockingCall.run("test", orElse: PostgresError.privateServer) {
            Command(words: words).run()
        }
    }

    private func shell(_ script: String) async throws -> Command.Completion {
        try await run("/bin/sh", "-c", script)
    }

    @Test func `gives its status and what it wrote to both streams`() async throws {
        let outcome = try await shell("echo dough; echo burnt >&2; echo done; exit 3")
        #expect(outcome.status == 3)
        #expect(outcome.output == "dough\nburnt\ndone\n")
        #expect(try await shell("exit 0").status == 0)
        #expect(try await shell("true").output.isEmpty)
    }

    @Test func `gives the signal that ended it`() async throws {
        #expect(try await shell("kill -9 $$").status == 128 + SIGKILL)
        #expect(try await shell("kill -15 $$").status == 128 + SIGTERM)
    }

    @Test func `is not taken for one that is not there`() async throws {
        let outcome = try await run("/no/such/oven")
        #expect(outcome.status == 127)
        #expect(outcome.output.contains("/no/such/oven"))
    }

    @Test func `has nothing to read and stands at the root`() async throws {
        #expect(try await shell("cat; pwd").output == "/\n")
    }

    @Test func `gives the end of a long output`() async throws {
        let outcome = try await shell("head -c 100000 /dev/zero | tr '\\0' x; echo end")
        #expect(outcome.output.utf8.count == Limits.outputBytesMax)
        #expect(outcome.output.hasSuffix("xend\n"))
    }
}

struct `A file that another user may have put there` {
    @Test func `is read if it is a plain one, and the end of it`() async throws {
        try await withFolder { folder in
            let file = folder + "/log"
            try "one\ntwo\n".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(BoundedFile.end(ofFileAt: file) == "one\ntwo\n")
            try "".write(toFile: file, atomically: true, encoding: .utf8)
            #expect(BoundedFile.end(ofFileAt: file) == "")
            let long = String(repeating: "x", count: Limits.outputBytesMax) + "end"
            try long.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(BoundedFile.end(ofFileAt: file) == String(long.suffix(Limits.outputBytesMax)))
        }
    }

    /// A pipe would be waited for, and a link may lead to what only root may read.
    @Test func `is not read if it is anything else`() async throws {
        try await withFolder { folder in
            let file = folder + "/log"
            try "secret".write(toFile: file, atomically: true, encoding: .utf8)
            let link = folder + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
            let pipe = folder + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            for path in [link, pipe, folder, folder + "/none", "/dev/zero"] {
                #expect(BoundedFile.end(ofFileAt: path) == nil, "\(path)")
            }
        }
    }
}

struct `The directory of a server` {
    @Test func `has its parts below it, wherever it was typed from`() throws {
        let layout = try ServerLayout("/srv/../srv/islet/")
        #expect(layout.directory == "/srv/islet")
        #expect(layout.cluster == "/srv/islet/cluster")
        #expect(layout.unfinishedCluster == "/srv/islet/cluster.new")
        #expect(layout.lockFile == "/srv/islet/start.lock")
        #expect(layout.serverLog == "/srv/islet/server.log")
        #expect(layout.socketDirectory == "/srv/islet/run")
    }

    @Test(arguments: ["/srv/Ada's", "/srv/a,b"])
    func `has its socket elsewhere if its name means something to the server`(
        name: String
    ) throws {
        let layout = try ServerLayout(name)
        #expect(layout.directory == name)
        #expect(layout.socketDirectory.hasPrefix("/tmp/islet-"))
    }

    @Test(arguments: [#"/srv/"x""#, "/srv/`id`", "/srv/$(id)", "/srv/$HOME", "/srv/a\nb"])
    func `is refused if a shell would read its name, with the option`(name: String) {
        let error = #expect(throws: PostgresError.self) { _ = try ServerLayout(name) }
        guard case .privateServer(let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("--data-dir"))
    }

    @Test(arguments: ["/srv/a b", "/srv/cash$", "/srv/größe", #"/srv/a\b"#])
    func `may have any other name`(name: String) throws {
        #expect(try ServerLayout(name).socketDirectory == name + "/run")
    }

    /// The name of a socket has room for 107 bytes, those of its lock file included.
    @Test func `has its socket elsewhere if its name is too long`() throws {
        func socket(_ length: Int, _ letter: String = "d") throws -> String {
            let name = "/" + String(repeating: letter, count: length - 1)
            return try ServerLayout(name).socketDirectory.replacing(name, with: "DIRECTORY")
        }
        #expect(try socket(83) == "DIRECTORY/run")
        let elsewhere = try socket(84)
        #expect(elsewhere.hasPrefix("/tmp/islet-"))
        #expect(try socket(84) == elsewhere)
        #expect(try socket(84, "e") != elsewhere)
    }

    @Test func `has a living server if the process of its lock file lives`() async throws {
        try await withFolder { folder in
            let layout = try ServerLayout(folder)
            #expect(!layout.hasCluster && !layout.hasUnfinishedCluster)
            #expect(layout.isServerAlive == false)
            try FileManager.default.createDirectory(
                atPath: layout.cluster, withIntermediateDirectories: false)
            #expect(!layout.hasCluster)
            let lock = layout.cluster + "/postmaster.pid"
            for (text, isAlive) in [
                ("1\n/srv/islet\n5432\n", true), ("\(getpid())\n", false),
                ("2147483647\n", false), ("", false), ("0\n", false), ("-1\n", false),
                ("soon\n", false),
            ] {
                try text.write(toFile: lock, atomically: true, encoding: .utf8)
                #expect((layout.isServerAlive != false) == isAlive, "\(text)")
            }
            // One that cannot be read is no sign of death.
            try FileManager.default.removeItem(atPath: lock)
            try FileManager.default.createSymbolicLink(
                atPath: lock, withDestinationPath: "/dev/null")
            #expect(layout.isServerAlive == nil)
        }
    }

    @Test func `has last words: of the program, and of the server that it started`() async throws {
        try await withFolder { folder in
            let layout = try ServerLayout(folder)
            let output = "a\nb\n\nc\nd\n"
            #expect(layout.lastWords(output, of: "initdb") == "b; c; d")
            #expect(layout.lastWords(output, of: "pg_ctl") == "b; c; d")
            try "LOG:  one\nLOG:  two\n".write(
                toFile: layout.serverLog, atomically: true, encoding: .utf8)
            let place = "see \(layout.serverLog)"
            #expect(
                layout.lastWords(output, of: "pg_ctl")
                    == "b; c; d; LOG:  one; LOG:  two; \(place)")
            #expect(layout.lastWords(output, of: "initdb") == "b; c; d")
            let long = String(repeating: "x", count: 2 * Limits.messageCharactersMax)
            #expect(layout.lastWords(long, of: "initdb").count == Limits.messageCharactersMax)
            #expect(layout.lastWords("", of: "initdb").isEmpty)
        }
    }

    @Test func `has as last words what ended the making of a cluster, and not what came after`()
        throws
    {
        let reason =
            "running bootstrap script ... 2026-11-29 03:00:00.123 UTC [12] FATAL:  could not "
            + "extend file \"base/1/1255\": No space left on device"
        let output = [
            "creating configuration files ... ok", reason, "HINT:  Check free disk space.",
            "child process exited with exit code 1",
            "initdb: removing contents of data directory \"/srv/islet/cluster.new\"",
        ]
        let layout = try ServerLayout("/srv/islet")
        #expect(layout.lastWords(output.joined(separator: "\n"), of: "initdb") == reason)
    }

    @Test func `has no last words of another day`() async throws {
        try await withFolder { folder in
            let layout = try ServerLayout(folder)
            #expect(layout.serverLogBytes == 0)
            let old = "2026-11-01 03:00:00.123 UTC [9] FATAL:  No space left on device\n"
            try old.write(toFile: layout.serverLog, atomically: true, encoding: .utf8)
            let before = layout.serverLogBytes
            #expect(before == old.utf8.count)
            let place = "see \(layout.serverLog)"
            func words() -> String {
                layout.lastWords("no", of: "pg_ctl", loggedAfter: before)
            }
            #expect(words() == "no; \(place)")
            try (old + "LOG:  new\n").write(
                toFile: layout.serverLog, atomically: true, encoding: .utf8)
            #expect(words() == "no; LOG:  new; \(place)")
            // Where somebody has put it away meanwhile, all of it is new.
            try "LOG:  first\n".write(toFile: layout.serverLog, atomically: true, encoding: .utf8)
            #expect(words() == "no; LOG:  first; \(place)")
        }
    }

    /// As Postgres 15 writes it where its disk is full, with a node that asks meanwhile.
    @Test func `has as last words why the server ended, and not what it wrote after that`()
        async throws
    {
        try await withFolder { folder in
            let layout = try ServerLayout(folder)
            let time = "2026-11-29 03:00:00.123 UTC"
            let reason =
                "\(time) [12] FATAL:  could not write to file \"pg_wal/xlogtemp.12\": No space "
                + "left on device"
            let log = [
                "\(time) [9] FATAL:  password file is damaged", reason,
                "\(time) [13] FATAL:  the database system is starting up",
                "\(time) [14] FATAL:  terminating connection due to administrator command",
                "\(time) [11] LOG:  startup process (PID 12) exited with exit code 1",
                "\(time) [11] LOG:  aborting startup due to startup process failure",
                "\(time) [11] LOG:  database system is shut down",
            ]
            try log.joined(separator: "\n").write(
                toFile: layout.serverLog, atomically: true, encoding: .utf8)
            #expect(
                layout.lastWords("could not start", of: "pg_ctl")
                    == "could not start; \(reason); see \(layout.serverLog)")
        }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `is made with those above it, and closed to others`() async throws {
        try await withFolder { folder in
            #expect(chmod(folder, 0o755) == 0)
            let layout = try ServerLayout(folder + "/deep/er")
            try layout.makeDirectory()
            try layout.makeSocketDirectory()
            #expect(try mode(layout.directory) == 0o700)
            #expect(try mode(layout.socketDirectory) == 0o700)
            #expect(try mode(folder) == 0o755)
            #expect(chmod(layout.directory, 0o777) == 0)
            try layout.makeDirectory()
            #expect(try mode(layout.directory) == 0o700)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `is taken over from root with a server's things, and from nobody else`() async throws {
        try await withFolder { folder in
            let layout = try ServerLayout(folder + "/own")
            for name in ["cluster", "run", "lost+found"] {
                try FileManager.default.createDirectory(
                    atPath: "\(layout.directory)/\(name)", withIntermediateDirectories: true)
            }
            #expect(FileManager.default.createFile(atPath: layout.serverLog, contents: nil))
            try layout.makeDirectory()
            let owner = try FileManager.default.attributesOfItem(atPath: layout.directory)[
                .ownerAccountID]
            #expect(owner as? UInt32 == layout.owner.uid)
            #expect(chown(layout.directory, 12_345, 12_345) == 0)
            let detail = "\(layout.directory) does not belong to the user postgres"
            #expect(throws: PostgresError.privateServer(detail: detail)) {
                try layout.makeDirectory()
            }
        }
    }

    @Test func `is one program's at a time`() async throws {
        try await withFolder { folder in
            let layout = try ServerLayout(folder + "/own")
            try layout.makeDirectory()
            let lock = try ClusterLock.take(layout)
            #expect(try mode(layout.lockFile) == 0o600)
            let order = Lock<[String]>([])
            let other = Task {
                try await BlockingCall.run("test", orElse: PostgresError.privateServer) {
                    () throws(PostgresError) in
                    let lock = try ClusterLock.take(layout)
                    order.withLock { $0.append("taken") }
                    lock.release()
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            order.withLock { $0.append("released") }
            lock.release()
            try await other.value
            #expect(order.value == ["released", "taken"])
            // And again: it is left where it is.
            try ClusterLock.take(layout).release()
        }
    }

    @Test func `has no lock that is a link`() async throws {
        try await withFolder { folder in
            let layout = try ServerLayout(folder + "/own")
            try layout.makeDirectory()
            let precious = folder + "/precious"
            try "precious".write(toFile: precious, atomically: true, encoding: .utf8)
            try FileManager.default.createSymbolicLink(
                atPath: layout.lockFile, withDestinationPath: precious)
            let detail =
                "cannot open the file \(layout.lockFile): Too many levels of symbolic links"
            #expect(throws: PostgresError.privateServer(detail: detail)) {
                try ClusterLock.take(layout)
            }
            #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
        }
    }
}
