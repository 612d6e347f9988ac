import Foundation
import Glibc

/// Debian's pooler before a private server, on a socket of its own.
public final class PgBouncer: Sendable {
    public let url: String
    private let directory: String

    /// - Parameters:
    ///   - url: of the server, as a private Postgres gives it.
    ///   - mode: `session`, `transaction` or `statement`.
    public init(before url: String, mode: String, poolSize: Int = 60) async throws {
        let path = "/usr/sbin/pgbouncer"
        guard access(path, X_OK) == 0 else { throw Missing() }
        directory = TestServer.temporaryDirectory()
        let parameters = url.split(separator: "?").last.map { $0.split(separator: "&") } ?? []
        func value(_ name: String) -> String {
            let found = parameters.first { $0.hasPrefix(name + "=") }
            let text = found.map { String($0.dropFirst(name.count + 1)) } ?? ""
            return text.removingPercentEncoding ?? text
        }
        let settings = """
            [databases]
            * = host=\(value("host"))
            [pgbouncer]
            pool_mode = \(mode)
            listen_port = 6432
            unix_socket_dir = \(directory)
            auth_type = trust
            auth_file = \(directory)/users
            admin_users = \(value("user"))
            default_pool_size = \(poolSize)
            max_client_conn = 200
            logfile = \(directory)/pgbouncer.log

            """
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        try settings.write(toFile: directory + "/pgbouncer.ini", atomically: true, encoding: .utf8)
        try "\"\(value("user"))\" \"\"\n".write(
            toFile: directory + "/users", atomically: true, encoding: .utf8)
        if getuid() == 0 { try Program.run(["/bin/chown", "-R", "postgres", directory]) }
        let user = "/usr/bin/setpriv --reuid=postgres --regid=postgres --init-groups -- "
        // Ends with this process, however that ends. It inherits that signals are blocked.
        let script = """
            \(getuid() == 0 ? user : "")\(path) -q \(directory)/pgbouncer.ini & bouncer=$!
            while kill -0 \(getpid()) 2>/dev/null && [ ! -e \(directory)/stop ]; do sleep 0.2; done
            kill -KILL $bouncer; wait; rm -rf \(directory)
            """
        try Program.leave(script)
        self.url = url.replacing(
            /host=[^&]*/, with: "host=\(directory)&port=6432")
        try await waitUntil("PgBouncer listens") {
            access(directory + "/.s.PGSQL.6432", F_OK) == 0
        }
    }

    /// As an operator changes the mode: in the file, and then by RELOAD. It counts for sessions
    /// that are open as well.
    public func reload(mode: String) async throws {
        let file = directory + "/pgbouncer.ini"
        let settings = try String(contentsOfFile: file, encoding: .utf8)
        // Not by another file in its stead, which would be this user's.
        try settings.replacing(/pool_mode = [a-z]*/, with: "pool_mode = \(mode)").write(
            toFile: file, atomically: false, encoding: .utf8)
        let programs = ServerPrograms(of: try await TestServer.shared.server())
        let console = url.replacing(/^postgresql:\/\/\/[^?]*/, with: "postgresql:///pgbouncer")
        try Program.run([programs.path(of: "psql"), "-X", "-d", console, "-c", "RELOAD"])
    }

    public func stop() {
        _ = FileManager.default.createFile(atPath: directory + "/stop", contents: nil)
    }

    /// Run `tools/setup --for-tests`.
    public struct Missing: Error {}
}
