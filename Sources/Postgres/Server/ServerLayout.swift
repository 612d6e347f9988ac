import Foundation
import Glibc

/// What lies where in a private server's directory, and whom it belongs to.
struct ServerLayout {
    /// The user the server runs as.
    struct Owner {
        var name: String
        var uid: uid_t
        var gid: gid_t
        /// Words before a command that make it run as this user.
        var prefix: [String]
    }

    let directory: String
    let socketDirectory: String
    let owner: Owner

    var cluster: String { directory + "/cluster" }
    /// A cluster on its way; `cluster` is never half of one.
    var unfinishedCluster: String { directory + "/cluster.new" }
    var hasUnfinishedCluster: Bool {
        FileManager.default.fileExists(atPath: unfinishedCluster)
    }
    var lockFile: String { directory + "/start.lock" }
    var hasCluster: Bool { FileManager.default.fileExists(atPath: cluster + "/PG_VERSION") }
    var serverLog: String { directory + "/server.log" }
    func log(of program: String) -> String { directory + "/\(program).log" }

    init(_ directory: String) throws(PostgresError) {
        self.directory = ServerPath.absolute(directory)
        owner = try Self.findOwner()
        // The name of a Unix socket is short; a directory deep down gets its socket under /tmp.
        let inside = self.directory + "/run"
        let isShort =
            (inside + "/.s.PGSQL.5432.lock").utf8.count < Limits.socketPathBytesMax
        let nickname = Migration(number: 1, name: "", sql: self.directory).checksum
        socketDirectory = isShort ? inside : "/tmp/islet-\(owner.uid)-\(nickname)"
    }

    func makeDirectory() throws(PostgresError) { try make(directory) }

    /// Whoever stops the server removes it.
    func makeSocketDirectory() throws(PostgresError) { try make(socketDirectory) }

    /// Whether the process that the cluster's lock file names exists; cheaper than `pg_ctl status`.
    var hasLivingServer: Bool {
        let lock = try? String(contentsOfFile: cluster + "/postmaster.pid", encoding: .utf8)
        guard let pid = lock?.split(separator: "\n").first.flatMap({ pid_t($0) }), pid > 0 else {
            return false
        }
        return kill(pid, 0) == 0 || errno == EPERM
    }

    /// The end of a program's output, for an error message.
    func lastWords(of program: String) -> String {
        let logs = [log(of: program)] + (program == "pg_ctl" ? [serverLog] : [])
        let lines = logs.flatMap { path in
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.split(whereSeparator: \.isNewline).suffix(3)
        }
        return String(lines.joined(separator: "; ").prefix(Limits.messageCharactersMax))
    }

    private func make(_ path: String) throws(PostgresError) {
        do {
            // The directories above stay open, since the server's user must pass through them.
            let above = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(
                atPath: above, withIntermediateDirectories: true)
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw .privateServer(detail: "cannot make the directory \(path)")
        }
        var facts = stat()
        guard lstat(path, &facts) == 0 else {
            throw .privateServer(detail: "cannot look at the directory \(path)")
        }
        if facts.st_uid != owner.uid, getuid() == 0, facts.st_uid == 0 {
            guard chown(path, owner.uid, owner.gid) == 0 else {
                throw .privateServer(detail: "cannot give \(path) to the user \(owner.name)")
            }
        } else if facts.st_uid != owner.uid {
            throw .privateServer(detail: "\(path) does not belong to the user \(owner.name)")
        }
        guard chmod(path, 0o700) == 0 else {
            throw .privateServer(detail: "cannot close \(path) to other users")
        }
    }

    private static func findOwner() throws(PostgresError) -> Owner {
        guard getuid() == 0 else {
            guard let me = getpwuid(getuid()) else {
                throw .privateServer(detail: "the user with id \(getuid()) has no name")
            }
            return Owner(
                name: String(cString: me.pointee.pw_name), uid: getuid(), gid: getgid(),
                prefix: [])
        }
        guard let postgres = getpwnam("postgres") else {
            throw .privateServer(
                detail: "the server cannot run as root and there is no user postgres: install it "
                    + "with `apt-get install postgresql`")
        }
        return Owner(
            name: "postgres", uid: postgres.pointee.pw_uid, gid: postgres.pointee.pw_gid,
            prefix: [
                "/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--",
            ])
    }
}
