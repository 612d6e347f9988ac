import CUV
import Glibc

/// The file of a Unix-domain socket: who may connect, and what becomes of one that was left over.
/// Loop-bound.
public final class SocketFile {
    /// The owner and the group connect, others do not.
    public static let standardMode: UInt32 = 0o660
    /// As many as the kernel takes, with a zero behind them.
    public static let pathBytesMax = 107

    private let path: String
    private let mode: UInt32
    /// Device and number of the file that is ours.
    private var own: [UInt]?

    init(path: String, mode: UInt32) {
        self.path = path
        self.mode = mode
    }

    /// - Returns: the path in `unix:PATH`; nil for every other host.
    public static func path(of host: String) -> String? {
        host.hasPrefix("unix:") ? String(host.dropFirst("unix:".count)) : nil
    }

    /// Removes a socket on which nobody accepts any more, as a process leaves it that was killed.
    func makeRoom(for address: SocketAddress) throws(NetworkError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .socketPathTaken }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let probe = socket(AF_UNIX, kind, 0)
        guard probe >= 0 else { throw NetworkError(code: -errno) }
        defer { Glibc.close(probe) }
        // It answers at once: with a full backlog by EAGAIN, and then somebody listens too.
        let isRefused =
            address.withUnsafe { Glibc.connect(probe, $0, address.byteCount) } != 0
            && errno == ECONNREFUSED
        guard isRefused else { throw .socketFileInUse }
        guard unlink(path) == 0 else { throw NetworkError(code: -errno) }
    }

    /// Before anybody can connect.
    func setMode() -> Bool {
        own = number
        return chmod(path, mode) == 0
    }

    /// Removes the file unless it is another's by now.
    func remove() {
        if let own, own == number { unlink(path) }
    }

    private var number: [UInt]? {
        var status = stat()
        return lstat(path, &status) == 0 ? [status.st_dev, status.st_ino] : nil
    }
}
