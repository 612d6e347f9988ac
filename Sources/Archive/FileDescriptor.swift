import EventLoop
import Glibc

/// An open file. Its calls block: only for `DirectoryFiles`, which has a thread for that.
final class FileDescriptor {
    let path: String
    private var number: Int32

    private init(_ path: String, _ number: Int32) {
        self.path = path
        self.number = number
    }

    deinit { close() }

    /// A new empty file that only its owner can read, because event data are the merchant's
    /// business. It replaces what a crash has left, or a link that somebody has put there, and is
    /// locked until it is closed.
    /// - Throws: `.occupied` when somebody else is writing it.
    static func create(_ path: String) throws(ArchiveError) -> FileDescriptor {
        let number = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        let found = number < 0 ? nil : FileDescriptor(path, number)
        // Locked until there is another one at that path.
        defer { found?.close() }
        try found?.claim()
        unlink(path)
        let file = try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        try file.claim()
        return file
    }

    /// Locks a file that is still the one at its path: a former writer may have renamed it.
    private func claim() throws(ArchiveError) {
        var (mine, there) = (stat(), stat())
        let isMine =
            tryLock() && fstat(number, &mine) == 0 && lstat(path, &there) == 0
            && (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)
        guard isMine else {
            throw .occupied(
                "another export is writing \(path): let it end, and run this again")
        }
    }

    /// An export from elsewhere may have a pipe or a device there, and neither would ever end.
    /// - Returns: nil when there is no such file.
    static func forReading(_ path: String) throws(ArchiveError) -> FileDescriptor? {
        let number = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if number < 0, errno == ENOENT || errno == ENOTDIR { return nil }
        let file = try made(path, number)
        var facts = stat()
        guard fstat(number, &facts) == 0 else { throw .file(path, SystemError.text()) }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw .file(path, "is no ordinary file")
        }
        return file
    }

    /// What was there stays, and can be read.
    static func forAppending(_ path: String) throws(ArchiveError) -> FileDescriptor {
        try open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW)
    }

    private static func open(_ path: String, _ flags: Int32) throws(ArchiveError) -> FileDescriptor
    {
        try made(path, Glibc.open(path, flags | O_CLOEXEC, 0o600))
    }

    private static func made(_ path: String, _ number: Int32) throws(ArchiveError) -> FileDescriptor
    {
        guard number >= 0 else { throw .file(path, SystemError.text()) }
        return FileDescriptor(path, number)
    }

    func write(_ bytes: [UInt8]) throws(ArchiveError) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(
                    number, buffer.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .file(path, SystemError.text())
            }
            start += count
        }
    }

    /// - Returns: the bytes from there on; none at the end of the file.
    func read(from offset: Int, bytesMax: Int) throws(ArchiveError) -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            var result = 0
            repeat {
                result = pread(number, buffer.baseAddress, bytesMax, offset)
            } while result < 0 && errno == EINTR
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        if let failure { throw .file(path, SystemError.text(failure)) }
        return bytes
    }

    func length() throws(ArchiveError) -> Int {
        let length = lseek(number, 0, SEEK_END)
        guard length >= 0 else { throw .file(path, SystemError.text()) }
        return length
    }

    func truncate(to length: Int) throws(ArchiveError) {
        guard ftruncate(number, length) == 0 else { throw .file(path, SystemError.text()) }
    }

    /// Waits until no other process has the file locked, and locks it until it is closed. Without
    /// effect on a file system that has no locks.
    /// - Throws: when another process has had it for so long; it may be stopped.
    func lock(secondsMax: Int = Limits.fileLockSecondsMax) throws(ArchiveError) {
        let deadline = ContinuousClock.now + .seconds(secondsMax)
        while !tryLock() {
            guard ContinuousClock.now < deadline else {
                throw .file(
                    path,
                    "another process has been writing to it for \(secondsMax) seconds; end it, "
                        + "and run this again")
            }
            usleep(UInt32(Limits.fileLockPollMillis) * 1_000)
        }
    }

    private func tryLock() -> Bool {
        flock(number, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)
    }

    /// Returns when the contents are on the disk.
    func synchronize() throws(ArchiveError) {
        guard fsync(number) == 0 else { throw .file(path, SystemError.text()) }
    }

    func close() {
        guard number >= 0 else { return }
        Glibc.close(number)
        number = -1
    }

    /// Puts the file in place of another, if there is one, at once and lastingly.
    static func rename(
        _ path: String, to newPath: String, in directory: String
    ) throws(ArchiveError) {
        guard Glibc.rename(path, newPath) == 0 else { throw .file(newPath, SystemError.text()) }
        try synchronize(directory: directory)
    }

    /// Returns when no crash can take away what was made or renamed there.
    static func synchronize(directory: String) throws(ArchiveError) {
        try open(directory, O_RDONLY | O_DIRECTORY).synchronize()
    }
}
