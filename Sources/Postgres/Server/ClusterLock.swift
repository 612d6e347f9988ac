import EventLoop
import Glibc

/// Keeps everybody else from making, starting or stopping the server of a directory meanwhile.
///
/// The system takes it back however its owner ends. Processes that the owner starts do not
/// inherit it, or the server would have it for as long as it runs.
struct ClusterLock {
    private let descriptor: Int32

    /// Waits until its owner lets it go. Blocks: to be called inside a `BlockingCall`.
    static func take(_ layout: ServerLayout) throws(PostgresError) -> ClusterLock {
        let lock = ClusterLock(descriptor: try open(layout))
        let deadline = ContinuousClock.now + .seconds(Limits.clusterLockSecondsMax)
        while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard ContinuousClock.now < deadline else {
                lock.release()
                throw .privateServer(
                    detail: "another program has been setting up the Postgres in "
                        + "\(layout.directory) for \(Limits.clusterLockSecondsMax) seconds; end "
                        + "it, or wait until it is done, and try again")
            }
            usleep(UInt32(Limits.clusterLockPollMillis) * 1_000)
        }
        return lock
    }

    func release() { close(descriptor) }

    /// The directory belongs to the server's user, who may have put anything there: nothing is
    /// followed, written or given away that was there before.
    private static func open(_ layout: ServerLayout) throws(PostgresError) -> Int32 {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let made = Glibc.open(layout.lockFile, flags | O_CREAT | O_EXCL, 0o600)
        if made >= 0 {
            // So that the server's user can be the next.
            if getuid() == 0 { _ = fchown(made, layout.owner.uid, layout.owner.gid) }
            return made
        }
        let found = Glibc.open(layout.lockFile, flags)
        guard found >= 0 else {
            throw .privateServer(
                detail: "cannot open the file \(layout.lockFile): \(SystemError.text())")
        }
        return found
    }
}
