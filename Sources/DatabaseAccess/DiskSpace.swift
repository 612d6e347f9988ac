import Glibc

/// The room on a disk.
public struct DiskSpace {
    public let freeBytes: UInt64
    public let allBytes: UInt64

    /// - Returns: nil when the system does not say, with its code in `errno`.
    public init?(of path: String) {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        // A file system may claim what it likes.
        let size = min(UInt64(facts.f_frsize), 1 << 24)
        freeBytes = min(UInt64(facts.f_bavail), 1 << 39) * size
        allBytes = min(UInt64(facts.f_blocks), 1 << 39) * size
    }
}
