import Encodings
import EventLoop
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
    /// How long it is: what the server writes from now on stands after that.
    var serverLogBytes: Int {
        var facts = stat()
        return lstat(serverLog, &facts) == 0 ? facts.st_size : 0
    }
    /// The server writes the number of its process there, and removes it at its end.
    var serverLock: String { cluster + "/postmaster.pid" }

    init(_ directory: String) throws(PostgresError) {
        self.directory = ServerPath.absolute(directory)
        // `pg_ctl` starts the server by a shell, in whose double quotes it puts the path.
        guard self.directory.firstMatch(of: Self.readByShells) == nil else {
            throw .privateServer(
                detail: "pg_ctl cannot use the directory \(self.directory), since a shell would "
                    + "read a part of its name (\", `, $, \\ or a control character) as its own; "
                    + "give another --data-dir")
        }
        owner = try Self.findOwner(of: self.directory)
        // The name of a Unix socket is short; a directory deep down gets its socket under /tmp.
        let inside = self.directory + "/run"
        let isShort =
            (inside + "/.s.PGSQL.5432.lock").utf8.count < SocketFile.pathBytesMax
        // Nor does a place get there that the server's options or a URL would take for several.
        let isPlain = !self.directory.contains { "',".contains($0) }
        let nickname = String(FNV1a.hash(self.directory.utf8), radix: 16)
        socketDirectory =
            isShort && isPlain ? inside : "/tmp/islet-\(owner.uid)-\(nickname)"
    }

    private static var readByShells: Regex<Substring> {
        #/["`\p{Cc}]|\$[A-Za-z0-9_({@*#?$!-]|\\["`$\\]/#
    }

    func makeDirectory() throws(PostgresError) { try make(directory) }

    /// The program that stops the server removes it.
    func makeSocketDirectory() throws(PostgresError) { try make(socketDirectory) }

    /// The directories that lead to it, the outermost first.
    var parents: [String] {
        let names = directory.split(separator: "/").dropLast()
        return names.indices.map { "/" + names[...$0].joined(separator: "/") }
    }

    /// Whether the process that the server's lock names exists, as far as it is certain; cheaper
    /// than `pg_ctl status`. A lock that is there and cannot be read, for want of a descriptor, is
    /// no sign of death, and a process of another user's none of life.
    var isServerAlive: Bool? {
        guard let lock = BoundedFile.end(ofFileAt: serverLock) else {
            return access(serverLock, F_OK) == 0 ? nil : false
        }
        guard let number = Self.number(in: lock), !Self.isOwn(number),
            kill(number, 0) == 0 || errno == EPERM
        else { return false }
        var facts = stat()
        return lstat("/proc/\(number)", &facts) == 0 && facts.st_uid == owner.uid ? true : nil
    }

    /// Whether the server's lock was left behind and names this very program. After a crash of a
    /// container that happens easily, since its numbers begin at 1 each time and threads have some
    /// too.
    var isServerLockOurs: Bool {
        BoundedFile.end(ofFileAt: serverLock).flatMap(Self.number).map(Self.isOwn) ?? false
    }

    private static func number(in lock: String) -> pid_t? {
        guard let number = lock.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
            return nil
        }
        return number > 0 ? number : nil
    }

    private static func isOwn(_ number: pid_t) -> Bool {
        access("/proc/self/task/\(number)", F_OK) == 0
    }

    /// Why a program has failed, for an error message, or the end of its output; and likewise of
    /// the server that it started, with where its log is. Both go on writing after they have said
    /// why.
    /// - Parameter bytes: what stood in the server's log before is of another day.
    func lastWords(_ output: String, of program: String, loggedAfter bytes: Int = 0) -> String {
        func reason(_ text: String) -> ArraySlice<Substring> {
            let lines = text.split(whereSeparator: \.isNewline)
            return lines.last(where: Self.isOfServersEnd).map { [$0] } ?? lines.suffix(3)
        }
        var words = reason(output)
        if program == "pg_ctl", let log = BoundedFile.end(ofFileAt: serverLog, after: bytes) {
            words += reason(log)
            words.append("see \(serverLog)")
        }
        return String(words.joined(separator: "; ").prefix(Limits.messageCharactersMax))
    }

    /// Sessions end with a line like it, too: one that somebody ended, or that came while the
    /// server was starting.
    private static func isOfServersEnd(_ line: Substring) -> Bool {
        (line.contains("FATAL: ") || line.contains("PANIC: "))
            && !line.contains("  the database system is ") && !line.contains("  terminating ")
    }

    private func make(_ path: String) throws(PostgresError) {
        let why: String?
        do {
            // The directories above stay open, since the server's user must pass through them.
            let above = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(
                atPath: above, withIntermediateDirectories: true)
            why = mkdir(path, 0o700) == 0 || errno == EEXIST ? nil : SystemError.text()
        } catch { why = SystemError.text(of: error) }
        if let why {
            throw .privateServer(detail: "cannot make the directory \(path): \(why)")
        }
        // Looked at and changed by its descriptor: what has the name may be another a moment later,
        // and a link would be somebody's who wants another directory changed.
        let number = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        var facts = stat()
        guard number >= 0, fstat(number, &facts) == 0 else {
            let code = errno
            throw .privateServer(
                detail: [ENOTDIR, ELOOP].contains(code)
                    ? "\(path) is no directory, or a link; give the directory that it leads to"
                    : "cannot open the directory \(path): \(SystemError.text(code))")
        }
        defer { close(number) }
        if facts.st_uid != owner.uid, getuid() == 0, facts.st_uid == 0 {
            try refuseForeign(path)
            guard fchown(number, owner.uid, owner.gid) == 0 else {
                throw .privateServer(
                    detail: "cannot give \(path) to the user \(owner.name): "
                        + SystemError.text())
            }
        } else if facts.st_uid != owner.uid {
            throw .privateServer(detail: "\(path) does not belong to the user \(owner.name)")
        }
        guard fchmod(number, 0o700) == 0 else {
            throw .privateServer(
                detail: "cannot close \(path) to other users: \(SystemError.text())")
        }
    }

    /// A directory of root's is given away only where nothing but a server's things are in it.
    private func refuseForeign(_ path: String) throws(PostgresError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let foreign = names.first { name in
            !["cluster", "cluster.new", "run", "lost+found"].contains(name)
                && !name.hasSuffix(".log")
                && !name.hasSuffix(".lock")
        }
        if let foreign {
            throw .privateServer(
                detail: "\(path) has other things in it (\(foreign)) and would be given to the "
                    + "user \(owner.name); give a directory of its own")
        }
    }

    /// For root, which cannot run a server, the user whose the directory is already, such as a
    /// service's, and `postgres` for a new one.
    private static func findOwner(of directory: String) throws(PostgresError) -> Owner {
        guard getuid() == 0 else {
            guard let me = getpwuid(getuid()) else {
                throw .privateServer(detail: "the user with id \(getuid()) has no name")
            }
            return Owner(
                name: String(cString: me.pointee.pw_name), uid: getuid(), gid: getgid(),
                prefix: [])
        }
        var facts = stat()
        let isTaken = lstat(directory, &facts) == 0 && facts.st_uid != 0
        guard let user = isTaken ? getpwuid(facts.st_uid) : getpwnam("postgres") else {
            throw .privateServer(
                detail: isTaken
                    ? "\(directory) belongs to the user with the id \(facts.st_uid), which has no "
                        + "name"
                    : "the server cannot run as root and there is no user postgres: install it "
                        + "with `apt-get install postgresql`")
        }
        let (uid, gid) = (user.pointee.pw_uid, user.pointee.pw_gid)
        return Owner(
            name: String(cString: user.pointee.pw_name), uid: uid, gid: gid,
            prefix: [
                "/usr/bin/setpriv", "--reuid=\(uid)", "--regid=\(gid)", "--init-groups", "--",
            ])
    }
}
