import EventLoop
public import Foundation
import Glibc

/// A file that somebody names on the command line.
public enum GivenFile {
    /// All of it, of a pipe too, as `<(…)` and `/dev/stdin` are. Foundation's other readers refuse
    /// pipes.
    /// - Parameters:
    ///   - option: the one that names the file, without dashes; nil for an operand.
    ///   - bytesMax: nil for data, which may be of any size.
    ///   - remedy: what to do about a file that is longer.
    public static func read(
        _ path: String, option: String? = nil, bytesMax: Int? = 1 << 20, remedy: String? = nil
    ) throws(CommandFailure) -> Data {
        let named = named(path, by: option)
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw unreadable(named, errno) }
        let handle = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var facts = stat()
        guard fstat(number, &facts) != 0 || facts.st_mode & S_IFMT != S_IFDIR else {
            throw unreadable(named, EISDIR)
        }
        let read: Data?
        do { read = try handle.read(upToCount: bytesMax.map { $0 + 1 } ?? .max) } catch {
            throw unreadable(named, EIO)
        }
        guard let data = read else { throw .failed("\(named) is empty") }
        if let bytesMax, data.count > bytesMax {
            let most = bytesMax < 1 << 20 ? "\(bytesMax >> 10) KiB" : "\(bytesMax >> 20) MiB"
            throw .failed("\(named) is longer than \(most)" + (remedy.map { "; \($0)" } ?? ""))
        }
        return data
    }

    /// As sentences about a file begin.
    /// - Parameter option: the one that names it, without dashes; nil for an operand.
    static func named(_ path: String, by option: String?) -> String {
        (option.map { "--\($0): " } ?? "") + path
    }

    /// As `read`; what is no UTF-8 is replaced.
    public static func text(_ path: String, option: String) throws(CommandFailure) -> String {
        String(decoding: try read(path, option: option), as: UTF8.self)
    }

    /// - Parameter code: the system's.
    static func unreadable(_ named: String, _ code: Int32) -> CommandFailure {
        switch code {
        case ENOENT, ENOTDIR: .failed("\(named) does not exist")
        // A service has a user of its own, whom the person at the terminal easily forgets.
        case EACCES:
            .failed(
                "\(named) may not be read by the user \(user): give that user the file by chown, "
                    + "with mode 0600, and let it enter the directory")
        default: .failed("\(named) cannot be read: \(SystemError.text(code))")
        }
    }

    /// Whom the process runs as.
    private static var user: String {
        getpwuid(geteuid()).flatMap { $0.pointee.pw_name.map { String(cString: $0) } }
            ?? "\(geteuid())"
    }
}
