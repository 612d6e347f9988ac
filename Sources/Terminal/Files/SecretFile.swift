import EventLoop
public import Foundation
import Glibc

/// A file that only its owner can read, from its first byte on.
public enum SecretFile {
    /// Puts a new file in place of what is there. A link that somebody has put there is
    /// replaced, and not followed.
    public static func write(_ text: String, to path: String) throws(CommandFailure) {
        let partial = "\(path).\(UUID().uuidString.prefix(8).lowercased()).partial"
        let file = try NewFile.create(partial)
        do throws(CommandFailure) {
            do {
                try file.write(contentsOf: Data(text.utf8))
                try file.synchronize()
                try file.close()
            } catch { throw NewFile.unwritable(path) }
            guard rename(partial, path) == 0 else { throw NewFile.unwritable(path) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    /// Says so when others than the owner can read a secret. Of a link, what it leads to counts.
    public static func warnIfOpen(_ file: String, option: String) {
        var facts = stat()
        guard stat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            facts.st_mode & 0o077 != 0
        else { return }
        Console.note("--\(option): others can read \(file); chmod 600 keeps it secret")
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
    /// - Throws: where there is one already, even a link that leads nowhere.
    public static func create(_ path: String) throws(CommandFailure) -> FileHandle {
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw unwritable(path) }
        return FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    public static func unwritable(_ path: String) -> CommandFailure {
        .failed("\(path) cannot be written: \(SystemError.text())")
    }
}
