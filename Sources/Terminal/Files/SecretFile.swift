import EventLoop
public import Foundation
import Glibc

/// A file that only its owner can read, from its first byte on.
public enum SecretFile {
    /// Puts a new file in place of what is there. A link that somebody has put there is
    /// replaced, and not followed.
    /// - Parameter option: the one that names the file or its directory, without dashes.
    public static func write(
        _ text: String, to path: String, option: String? = nil
    ) throws(CommandFailure) {
        let named = GivenFile.named(path, by: option)
        let partial = NewFile.partialPath(of: path)
        let file = try NewFile.create(partial, named: named)
        do throws(CommandFailure) {
            do {
                try file.write(contentsOf: Data(text.utf8))
                try file.synchronize()
                try file.close()
            } catch { throw NewFile.unwritable(named) }
            guard rename(partial, path) == 0 else { throw NewFile.unwritable(named) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    /// Says so when others than the owner can read a secret. Of a link, what it leads to counts.
    public static func warnIfOpen(_ file: String, option: String) {
        var facts = stat()
        guard stat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            isOpen(facts, user: geteuid(), group: getegid(), groups: groups)
        else { return }
        Console.note("--\(option): others can read \(file); chmod 600 keeps it secret")
    }

    /// Whether others can read it, or write to it. A group that may only read is no other if it is
    /// the process's own, or if root has given its file to a group of the process's, as for a
    /// service that may not change its secrets; root itself knows to whom it gave it.
    static func isOpen(_ facts: stat, user: uid_t, group: gid_t, groups: [gid_t]) -> Bool {
        switch facts.st_mode & 0o077 {
        case 0: false
        case S_IRGRP:
            facts.st_gid != group
                && (facts.st_uid != 0 || user != 0 && !groups.contains(facts.st_gid))
        default: true
        }
    }

    /// Those of the process beside its own.
    private static var groups: [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        let count = getgroups(Int32(groups.count), &groups)
        return Array(groups.prefix(Int(max(count, 0))))
    }

    /// Whether it is a file of this user's or root's own, and no link to one: a secret that
    /// somebody else has put there is none.
    public static func isOwn(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            && (facts.st_uid == geteuid() || facts.st_uid == 0)
    }
}

/// A file that was not there before, which only its owner may read.
public enum NewFile {
    /// For what is to take the place of that file: another one each time, so that two that write
    /// it at once do not write each other's half.
    static func partialPath(of path: String) -> String {
        "\(path).\(UUID().uuidString.prefix(8).lowercased()).partial"
    }

    /// - Parameter named: what is to be written, where somebody knows it by another name.
    /// - Throws: where there is one already, even a link that leads nowhere.
    public static func create(
        _ path: String, named: String? = nil
    ) throws(CommandFailure) -> FileHandle {
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw unwritable(named ?? path) }
        return FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    public static func unwritable(_ path: String) -> CommandFailure {
        .failed("\(path) cannot be written: \(SystemError.text())")
    }
}
