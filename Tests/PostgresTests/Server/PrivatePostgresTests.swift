import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Postgres

struct PrivatePostgresTests {
    private static let settings = ["fsync": "off", "shared_buffers": "1MB"]

    /// Runs `body` with a fresh directory and removes it with its server afterwards.
    private func withDirectory(
        _ suffix: String = "", _ body: (String) async throws -> Void
    ) async throws {
        let base = "/tmp/islet-private-\(UInt32.random(in: 0 ... .max))"
        let directory = base + suffix
        defer { try? FileManager.default.removeItem(atPath: base) }
        do { try await body(directory) } catch { Issue.record(error) }
        try? await PrivatePostgres.start(dataDirectory: directory).stop()
    }

    private func pool(_ server: PrivatePostgres) -> Pool {
        Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: server.url)),
            loop: TestDatabase.loop)
    }

    @Test func `a running server is found again and a stopped one started, data intact`()
        async throws
    {
        try await withDirectory { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let pool = pool(server)
            try await pool.withConnection { (c) async throws(PostgresError) in
                try await c.script("CREATE TABLE t (n int4); INSERT INTO t VALUES (1)")
            }
            let started = "SELECT pg_postmaster_start_time()"
            let first = try await pool.query(started)[0].get(0, as: Timestamp.self)
            let same = try await PrivatePostgres.start(dataDirectory: directory)
            #expect(same.url == server.url)
            #expect(try await pool.query(started)[0].get(0) == first)

            // The same pool works again after the server was away.
            try await server.stop()
            try await server.stop()
            async let waiting = pool.query("SELECT n FROM t")
            _ = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            #expect(try await waiting[0].get(0) == Int32(1))
            #expect(try await pool.query(started)[0].get(0) != first)
            await pool.close()
        }
    }

    /// As the commands of an operator do beside a service.
    @Test(.enabled(if: getuid() == 0))
    func `a server is run as the user to whom the directory belongs, if root starts it`()
        async throws
    {
        try await withDirectory { directory in
            let user = try #require(getpwnam("nobody"))
            let (uid, gid) = (user.pointee.pw_uid, user.pointee.pw_gid)
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            #expect(chown(directory, uid, gid) == 0)
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let pool = pool(server)
            let name = try await pool.query("SELECT current_user::text")[0]
                .get(0, as: String.self)
            #expect(name == "nobody")
            await pool.close()
            #expect(server.psql.hasPrefix("runuser -u nobody -- "))
            let cluster = try FileManager.default.attributesOfItem(atPath: directory + "/cluster")
            #expect(cluster[.ownerAccountID] as? UInt32 == uid)
        }
    }

    @Test func `any number of programs may begin at once, one after a cluster that was half made`()
        async throws
    {
        try await withDirectory { directory in
            // As one leaves it that is killed while it makes a cluster.
            let half = directory + "/cluster.new"
            try FileManager.default.createDirectory(
                atPath: half, withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: half + "/PG_VERSION", contents: nil))
            if getuid() == 0, let postgres = getpwnam("postgres") {
                let (uid, gid) = (postgres.pointee.pw_uid, postgres.pointee.pw_gid)
                for path in [half + "/PG_VERSION", half] { #expect(chown(path, uid, gid) == 0) }
            }
            let starts = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await PrivatePostgres.start(
                            dataDirectory: directory, settings: Self.settings,
                            setup: "SELECT pg_sleep(0.1)"
                        ).wasRunning
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // One has started it, the others have found it ready.
            #expect(starts.count { !$0 } == 1)
            #expect(starts.count == 6)
        }
    }

    @Test func `a server that stands still keeps nobody waiting for long, nor one for the other`()
        async throws
    {
        try await withDirectory { directory in
            _ = try await PrivatePostgres.start(dataDirectory: directory, settings: Self.settings)
            let frozen = try FrozenServer(cluster: directory + "/cluster")
            defer { frozen.thaw() }
            let start = ContinuousClock.now
            let failures: [PostgresError?] = await withTaskGroup(of: PostgresError?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do throws(PostgresError) {
                            _ = try await PrivatePostgres.start(
                                dataDirectory: directory, setup: "SELECT 1")
                            return nil
                        } catch { return error }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ContinuousClock.now - start < .seconds(20))
            for failure in failures {
                guard case .privateServer(let detail)? = failure else {
                    Issue.record("\(String(describing: failure))")
                    continue
                }
                #expect(detail.hasPrefix("the Postgres in \(directory) runs and does not answer"))
            }
        }
    }

    @Test func `a server is stopped although a session of its own stands still`() async throws {
        try await withDirectory { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let pool = pool(server)
            let frozen = FrozenServer(process: try await pool.openDedicated().backendPID)
            defer { frozen.thaw() }
            let start = ContinuousClock.now
            try await server.stop(fastSecondsMax: 1)
            #expect(ContinuousClock.now - start < .seconds(20))
            let next = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            #expect(!next.wasRunning)
            await pool.close()
        }
    }

    @Test func `a server is started although its lock names what is no server`() async throws {
        try await withDirectory { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let lock = directory + "/cluster/postmaster.pid"
            let text = try String(contentsOfFile: lock, encoding: .utf8)
            let thread = try await TestDatabase.loop.submit {
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            }
            let number = URL(filePath: thread).lastPathComponent
            #expect(number != "\(getpid())")
            // As a crash leaves it, if a thread gets the number that the server had.
            let rest = text.drop(while: \.isNumber)
            let left = "\(number)\(rest)"
            try await server.stop()
            try left.write(toFile: lock, atomically: true, encoding: .utf8)
            #expect(try await server.revive())
            try await server.stop()
            try left.write(toFile: lock, atomically: true, encoding: .utf8)
            let next = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            #expect(!next.wasRunning)
            guard getuid() == 0 else { return }
            // Or another user's process.
            try await next.stop()
            try "1\(rest)".write(toFile: lock, atomically: false, encoding: .utf8)
            let last = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            #expect(!last.wasRunning)
        }
    }

    @Test func `a commit under which the session dies may have taken effect`() async throws {
        try await withDirectory { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let pool = pool(server)
            try await pool.withConnection { (c) async throws(PostgresError) in
                try await c.script(
                    """
                    CREATE TABLE t (n int4);
                    CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
                    CREATE CONSTRAINT TRIGGER rest AFTER INSERT ON t
                        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rest()
                    """)
            }
            let committing = Task { () async -> PostgresError? in
                do throws(PostgresError) {
                    try await pool.withTransaction { (c) async throws(PostgresError) in
                        _ = try await c.query("INSERT INTO t VALUES (1)")
                    }
                    return nil
                } catch { return error }
            }
            var process: Int32?
            try await waitUntil {
                process = try await pool.query(
                    "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT'"
                ).first?.get(0)
                return process != nil
            }
            // Without a word to its client.
            let killed = try #require(process)
            #expect(kill(killed, SIGKILL) == 0)
            let error = await committing.value
            guard case .connectionLost? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            await pool.close()
        }
    }

    @Test func `a path leads where the system itself would go`() throws {
        let here = FileManager.default.currentDirectoryPath
        let above = URL(filePath: here).deletingLastPathComponent().path
        let base = "/tmp/islet-paths-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            atPath: base + "/deep/er", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: base) }
        try FileManager.default.createSymbolicLink(
            atPath: base + "/link", withDestinationPath: "deep/er")
        let home = try #require(ProcessInfo.processInfo.environment["HOME"])
        for (typed, meant) in [
            ("../x", above + "/x"), ("../../../../../../../../x", "/x"), ("x", here + "/x"),
            ("./x/./y/../z/", here + "/x/z"), ("~/x", home + "/x"), ("/", "/"), ("/..", "/"),
            (base + "/link/../x", base + "/deep/x"), (base + "/link", base + "/link"),
            (base + "/no/../x", base + "/x"), ("~x", here + "/~x"),
        ] {
            #expect(ServerPath.absolute(typed) == meant, "\(typed)")
        }
    }

    @Test func `only a Unix socket is open, and only to its owner`() async throws {
        try await withDirectory { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let pool = pool(server)
            let rows = try await pool.query(
                "SELECT current_setting('listen_addresses'), current_setting('port')")
            #expect(try rows[0].get(0) == "")
            let mode = try FileManager.default.attributesOfItem(atPath: directory)[
                .posixPermissions]
            #expect(mode as? Int == 0o700)
            await pool.close()
        }
    }

    @Test(arguments: [
        "/" + String(repeating: "d", count: 60) + "/" + String(repeating: "e", count: 60),
        "/Ada's data, the second",
    ])
    func `a directory that no socket can be in works`(suffix: String) async throws {
        try await withDirectory(suffix) { directory in
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            let pool = pool(server)
            #expect(try await pool.query("SELECT 1::int4")[0].get(0) == Int32(1))
            await pool.close()
        }
    }

    @Test func `a directory that is a file is refused with its name`() async throws {
        let path = "/tmp/islet-private-file-\(UInt32.random(in: 0 ... .max))"
        #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = await #expect(throws: PostgresError.self) {
            try await PrivatePostgres.start(dataDirectory: path)
        }
        #expect("\(String(describing: error))".contains(path))
    }

    @Test func `what the server's user plants in its directory is neither written nor followed`()
        async throws
    {
        try await withDirectory { directory in
            let precious = directory + "-precious"
            defer { try? FileManager.default.removeItem(atPath: precious) }
            try await PrivatePostgres.start(dataDirectory: directory, settings: Self.settings)
                .stop()
            try "precious".write(toFile: precious, atomically: true, encoding: .utf8)
            for program in ["initdb", "pg_ctl"] {
                let link = "\(directory)/\(program).log"
                try? FileManager.default.removeItem(atPath: link)
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: precious)
            }
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings)
            try await server.stop()
            #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
            // A lock file that never ends is not read to its end.
            let lock = "\(directory)/cluster/postmaster.pid"
            try FileManager.default.createSymbolicLink(
                atPath: lock, withDestinationPath: "/dev/zero")
            defer { try? FileManager.default.removeItem(atPath: lock) }
            _ = try? await server.revive()
        }
    }

    @Test func `a link that replaces the directory changes nothing where it leads`() async throws {
        let base = "/tmp/islet-private-link-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: base) }
        let target = "\(base)/target"
        try FileManager.default.createDirectory(
            atPath: target, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755])
        try FileManager.default.createSymbolicLink(
            atPath: "\(base)/link", withDestinationPath: target)
        await #expect(throws: PostgresError.self) {
            try await PrivatePostgres.start(dataDirectory: "\(base)/link")
        }
        let facts = try FileManager.default.attributesOfItem(atPath: target)
        #expect(facts[.posixPermissions] as? Int == 0o755)
        #expect(facts[.ownerAccountID] as? UInt32 == geteuid())
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a directory with other things of root's is not given away`() async throws {
        let base = "/tmp/islet-private-full-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: base) }
        try FileManager.default.createDirectory(
            atPath: "\(base)/etc", withIntermediateDirectories: true)
        let error = await #expect(throws: PostgresError.self) {
            try await PrivatePostgres.start(dataDirectory: base)
        }
        #expect("\(String(describing: error))".contains("has other things in it (etc)"))
        let facts = try FileManager.default.attributesOfItem(atPath: base)
        #expect(facts[.ownerAccountID] as? UInt32 == 0)
    }

    @Test(.enabled(if: geteuid() == 0))
    func `the first folder that the server's user cannot enter is named`() async throws {
        try await withDirectory("/closed/below/data") { directory in
            let below = URL(fileURLWithPath: directory).deletingLastPathComponent()
            let closed = below.deletingLastPathComponent().path
            try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
            #expect(chmod(closed, 0o700) == 0)
            let error = await #expect(throws: PostgresError.self) {
                try await PrivatePostgres.start(dataDirectory: directory)
            }
            let remedy = "who cannot enter \(closed): give another --data-dir, or let others"
            #expect("\(String(describing: error))".contains(remedy))
        }
    }

    @Test func `while the server is away callers learn why they waited in vain`() async throws {
        let pool = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: "postgresql:///x?host=%2Fnowhere"),
                acquireTimeoutSeconds: 3), loop: TestDatabase.loop)
        let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
        guard case .poolTimedOut(let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("/nowhere"))
        await pool.close()
    }
}
