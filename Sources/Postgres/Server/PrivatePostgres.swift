import Foundation
import Glibc

/// A Postgres server of this program's own, in a data directory, reached by a Unix socket that
/// only its user (and root) can open. It outlives a crash of this program, and the next `start`
/// of the same directory finds it running.
public struct PrivatePostgres: Sendable {
    /// Server settings such as `["fsync": "off"]`, for a server that is started now.
    public typealias Settings = [String: String]

    /// Connection URL of the database `postgres` there.
    public let url: String
    /// True when `start` found it running.
    public private(set) var wasRunning = false
    private let layout: ServerLayout
    private let binaries: ServerBinaries
    private let settings: Settings

    /// Makes the directory and the cluster when there is none, and starts the server when it does
    /// not run.
    /// - Parameter dataDirectory: created with mode 0700. As root it is given to the user
    ///   `postgres`, since the server refuses to run as root.
    public static func start(
        dataDirectory: String, settings: Settings = [:]
    ) async throws(PostgresError) -> PrivatePostgres {
        try await BlockingCall.run("pg-start") { () -> Result<PrivatePostgres, PostgresError> in
            do throws(PostgresError) {
                var server = PrivatePostgres(
                    layout: try ServerLayout(dataDirectory), binaries: try ServerBinaries.find(),
                    settings: settings)
                try server.start()
                return .success(server)
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Ends sessions and stops, as `pg_ctl stop -m fast`. Harmless when it does not run.
    public func stop() async throws(PostgresError) {
        try await BlockingCall.run("pg-stop") { () -> Result<Void, PostgresError> in
            do throws(PostgresError) {
                guard isRunning else { return .success(()) }
                try run("pg_ctl", ["stop", "-m", "fast"] + waiting, doing: "stop the server")
                // Removes a directory under /tmp; one inside the data directory is made again.
                rmdir(layout.socketDirectory)
                return .success(())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Starts the server again when it has died, as it does when its disk is full.
    /// - Returns: false when it was alive.
    public func revive() async throws(PostgresError) -> Bool {
        try await BlockingCall.run("pg-revive") { () -> Result<Bool, PostgresError> in
            do throws(PostgresError) {
                guard !layout.hasLivingServer else { return .success(false) }
                var server = self
                try server.start()
                return .success(true)
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Where the server writes its log.
    public var logPath: String { layout.serverLog }

    /// Command line that stops the server without mercy, for a shell that outlives this process.
    public var killCommand: [String] {
        layout.owner.prefix + [
            binaries.path(of: "pg_ctl"), "stop", "-m", "immediate", "-D", layout.cluster,
        ]
    }

    private init(layout: ServerLayout, binaries: ServerBinaries, settings: Settings) {
        self.layout = layout
        self.binaries = binaries
        self.settings = settings
        // The socket's directory as `host`: percent-encoded, since it is a path.
        let host =
            layout.socketDirectory.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            ?? ""
        url = "postgresql:///postgres?host=\(host)&user=\(layout.owner.name)"
    }

    private var waiting: [String] { ["-w", "-t", "\(Limits.serverControlSecondsMax)"] }

    private var isRunning: Bool {
        command("pg_ctl", ["status", "-D", layout.cluster]).run().status == 0
    }

    private mutating func start() throws(PostgresError) {
        try layout.make()
        if !FileManager.default.fileExists(atPath: layout.cluster + "/PG_VERSION") {
            try run(
                "initdb",
                [
                    "--username", layout.owner.name, "--encoding", "UTF8", "--locale", "C.UTF-8",
                    "--auth-local", "trust", "--auth-host", "reject",
                ], doing: "make a cluster")
        }
        wasRunning = isRunning
        guard !wasRunning else { return }
        let fixed = [
            "listen_addresses": "", "unix_socket_directories": layout.socketDirectory,
            "unix_socket_permissions": "0700",
        ]
        let all = fixed.merging(settings) { fixed, _ in fixed }.sorted { $0.key < $1.key }
        let options = all.map { "-c \($0.key)='\($0.value)'" }.joined(separator: " ")
        try run(
            "pg_ctl", ["start", "-l", layout.serverLog, "-o", options] + waiting,
            doing: "start the server")
    }

    private func run(
        _ program: String, _ arguments: [String], doing what: String
    ) throws(PostgresError) {
        let outcome = command(program, ["-D", layout.cluster] + arguments).run()
        guard outcome.status == 0 else {
            throw .privateServer(
                detail: "cannot \(what) (\(program) ended with \(outcome.status)): "
                    + layout.lastWords(outcome.output, of: program))
        }
    }

    private func command(_ program: String, _ arguments: [String]) -> Command {
        let words = layout.owner.prefix + [binaries.path(of: program)] + arguments
        return Command(path: words[0], arguments: Array(words.dropFirst()))
    }
}
