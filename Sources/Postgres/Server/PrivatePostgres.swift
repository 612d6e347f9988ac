import EventLoop
import Foundation
import Glibc

/// A Postgres server of this program's own, in a data directory, reached by a Unix socket that
/// only its user (and root) can open. It outlives a crash of this program, and the next `start`
/// of the same directory finds it running.
public struct PrivatePostgres: Sendable {
    /// True when `start` found it running.
    public private(set) var wasRunning = false
    private let layout: ServerLayout
    private let binaries: String
    private let settings: [String: String]
    private let setup: String?

    /// Makes the directory and the cluster when there is none, and starts the server when it does
    /// not run. Any number of programs may do so at once: each waits for the others.
    /// - Parameters:
    ///   - dataDirectory: created with mode 0700. As root a new one is given to the user
    ///     `postgres`, since the server refuses to run as root; of another user's, that user runs
    ///     the server.
    ///   - settings: the server's, such as `["fsync": "off"]`, if it is started now.
    ///   - setup: SQL that the administrator runs at every start, for example to make the roles
    ///     that others log in as. A second time it changes nothing, and several at once may run it.
    public static func start(
        dataDirectory: String, settings: [String: String] = [:], setup: String? = nil
    ) async throws(PostgresError) -> PrivatePostgres {
        try await BlockingCall.run("pg-start", orElse: PostgresError.privateServer) {
            () throws(PostgresError) in
            var server = PrivatePostgres(
                layout: try ServerLayout(dataDirectory), binaries: try ServerBinaries.find(),
                settings: settings, setup: setup)
            try server.start()
            return server
        }
    }

    /// Ends sessions and stops, as `pg_ctl stop -m fast`. Harmless when it does not run.
    public func stop() async throws(PostgresError) {
        try await stop(fastSecondsMax: Limits.fastStopSecondsMax)
    }

    /// - Parameter fastSecondsMax: then it is stopped as by `-m immediate`, since a frozen session
    ///   never ends by itself. What was committed is there again at the next start.
    func stop(fastSecondsMax: Int) async throws(PostgresError) {
        try await BlockingCall.run("pg-stop", orElse: PostgresError.privateServer) {
            () throws(PostgresError) in
            guard layout.hasCluster else { return }
            let lock = try ClusterLock.take(layout)
            defer { lock.release() }
            guard findsRunning() else { return }
            do throws(PostgresError) { try stop("fast", fastSecondsMax) } catch {
                try stop("immediate", Limits.immediateStopSecondsMax)
            }
            // Removes a directory under /tmp; one inside the data directory is made again.
            rmdir(layout.socketDirectory)
        }
    }

    private func stop(_ mode: String, _ secondsMax: Int) throws(PostgresError) {
        try run(
            "pg_ctl", ["stop", "-m", mode, "-w", "-t", "\(secondsMax)"], doing: "stop the server")
    }

    /// Starts the server again when it has died, as it does when its disk is full.
    /// - Returns: false when it was alive.
    public func revive() async throws(PostgresError) -> Bool {
        try await BlockingCall.run("pg-revive", orElse: PostgresError.privateServer) {
            () throws(PostgresError) in
            guard layout.isServerAlive == false else { return false }
            var server = self
            try server.start()
            return true
        }
    }

    /// Whether a cluster was made there, or is being made by another program.
    public static func exists(in dataDirectory: String) -> Bool {
        guard let layout = try? ServerLayout(dataDirectory) else { return false }
        return layout.hasCluster || layout.hasUnfinishedCluster
    }

    /// Why nobody can say whether a cluster was made there; nil when it is known.
    public static func obstacle(in dataDirectory: String) -> String? {
        guard let layout = try? ServerLayout(dataDirectory),
            access(layout.cluster + "/PG_VERSION", F_OK) != 0, errno != ENOENT
        else { return nil }
        return SystemError.text()
    }

    /// Connection URL of the database `postgres` there, for the administrator.
    public var url: String { url(as: layout.owner.name) }

    /// The same for another user.
    public func url(as user: String) -> String {
        // The socket's directory as `host`: percent-encoded, since it is a path.
        let host =
            layout.socketDirectory.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            ?? ""
        return "postgresql:///postgres?host=\(host)&user=\(user)"
    }

    /// How the user of this program asks the server as its administrator, up to psql's options.
    public var psql: String {
        let socket = layout.socketDirectory
        let isPlain = socket.wholeMatch(of: #/[A-Za-z0-9/._-]+/#) != nil
        let place = isPlain ? socket : "'\(socket.replacing("'", with: "'\\''"))'"
        // Only its own user gets in.
        let user = layout.owner.prefix.isEmpty ? "" : "runuser -u \(layout.owner.name) -- "
        return "\(user)psql -h \(place) postgres"
    }

    /// Command line that stops the server without mercy, for a shell that outlives this process.
    public var killCommand: [String] {
        layout.owner.prefix + [
            "\(binaries)/pg_ctl", "stop", "-m", "immediate", "-D", layout.cluster,
        ]
    }

    /// To be called with the lock.
    private func findsRunning() -> Bool {
        // `pg_ctl` and the server would take this program's own thread for a server.
        if layout.isServerLockOurs {
            _ = command("/bin/rm", ["-f", "--", layout.serverLock]).run()
        }
        return layout.isServerAlive
            ?? (command("pg_ctl", ["status", "-D", layout.cluster]).run().status == 0)
    }

    private mutating func start() throws(PostgresError) {
        try layout.makeDirectory()
        try startUnderLock()
        guard wasRunning, let setup else { return }
        // Without the lock: a server that stands still would keep all others waiting for it too.
        do throws(PostgresError) {
            try Administration.run(
                setup, url: url, silenceSecondsMax: Limits.foundServerSilenceSecondsMax)
        } catch {
            guard case .cannotConnect(let detail) = error else { throw error }
            throw .privateServer(
                detail: "the Postgres in \(layout.directory) runs and does not answer (\(detail)); "
                    + "its log is \(layout.serverLog)")
        }
    }

    private mutating func startUnderLock() throws(PostgresError) {
        let lock = try ClusterLock.take(layout)
        defer { lock.release() }
        try layout.makeSocketDirectory()
        wasRunning = layout.hasCluster && findsRunning()
        guard !wasRunning else { return }
        try requirePassage()
        if !layout.hasCluster { try makeCluster() }
        try startServer()
        guard let setup else { return }
        try Administration.run(
            setup, url: url, silenceSecondsMax: Limits.serverControlSecondsMax)
    }

    /// Root gets everywhere, and the user whom it starts the server as does not.
    private func requirePassage() throws(PostgresError) {
        guard !layout.owner.prefix.isEmpty else { return }
        func isOpen(_ path: String) -> Bool {
            command("/usr/bin/test", ["-x", path]).run().status == 0
        }
        // If not even the root is open, it is something else that is wrong.
        guard !isOpen(layout.directory), isOpen("/"),
            let closed = layout.parents.first(where: { !isOpen($0) })
        else { return }
        throw .privateServer(
            detail: "the server runs as the user \(layout.owner.name), who cannot enter \(closed): "
                + "give another --data-dir, or let others through with chmod o+x \(closed)")
    }

    /// Elsewhere first: killed in the middle, it leaves no half of a cluster where a whole one is
    /// looked for.
    private func makeCluster() throws(PostgresError) {
        let place = layout.unfinishedCluster
        _ = command("/bin/rm", ["-rf", "--", place]).run()
        try run(
            "initdb",
            [
                "--username", layout.owner.name, "--encoding", "UTF8", "--locale", "C.UTF-8",
                "--auth-local", "trust", "--auth-host", "reject",
            ], in: place, doing: "make a cluster")
        guard rename(place, layout.cluster) == 0 else {
            throw .privateServer(
                detail: "\(layout.cluster) is there and no cluster: move it away and try again")
        }
    }

    private func startServer() throws(PostgresError) {
        let fixed = [
            "listen_addresses": "", "unix_socket_directories": layout.socketDirectory,
            "unix_socket_permissions": "0700",
        ]
        let all = fixed.merging(settings) { fixed, _ in fixed }.sorted { $0.key < $1.key }
        let options = all.map { "-c \($0.key)='\($0.value)'" }.joined(separator: " ")
        try run(
            "pg_ctl",
            [
                "start", "-l", layout.serverLog, "-o", options, "-w", "-t",
                "\(Limits.serverControlSecondsMax)",
            ], doing: "start the server")
    }

    private func run(
        _ program: String, _ arguments: [String], in cluster: String? = nil, doing what: String
    ) throws(PostgresError) {
        let logged = layout.serverLogBytes
        let outcome = command(program, ["-D", cluster ?? layout.cluster] + arguments).run()
        guard outcome.status == 0 else {
            throw .privateServer(
                detail: "cannot \(what) (\(program) ended with \(outcome.status)): "
                    + layout.lastWords(outcome.output, of: program, loggedAfter: logged))
        }
    }

    /// - Parameter program: one of the server's, or a path.
    private func command(_ program: String, _ arguments: [String]) -> Command {
        let path = program.hasPrefix("/") ? program : "\(binaries)/\(program)"
        return Command(words: layout.owner.prefix + [path] + arguments)
    }
}
