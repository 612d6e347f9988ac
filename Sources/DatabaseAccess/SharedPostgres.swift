import EventLoop
import Foundation
import Glibc
public import Postgres
import PostgresStore
public import Terminal

/// A private Postgres that several of these programs may use at once; the last to leave stops it.
///
/// Each has a shared lock on the data directory, which the system takes back however a program
/// ends. So one that was killed does not count, and its Postgres goes with the next to leave.
public struct SharedPostgres: Sendable {
    /// Somebody who stops the server has the lock alone for about a second.
    private static let lockSecondsMax = 60

    /// For the user who serves, and who is no superuser.
    public let url: String
    let directory: DataDirectory
    private let server: PrivatePostgres
    private let lock: Int32

    /// Starts the server of the directory, unless it runs already.
    public static func start(dataDirectory: String) async throws(PostgresError) -> SharedPostgres {
        let lock = try await lockShared(dataDirectory)
        do throws(PostgresError) {
            let server = try await PrivatePostgres.start(
                dataDirectory: dataDirectory, settings: PrivateServerSettings.forThisMachine,
                setup: DatabaseRoles.setup)
            return SharedPostgres(
                url: server.url(as: DatabaseRoles.service),
                directory: DataDirectory(path: dataDirectory), server: server, lock: lock)
        } catch {
            close(lock)
            throw error
        }
    }

    /// See `PrivatePostgres.psql`.
    public var psql: String { server.psql }

    /// Starts the server again if it has died. Nobody stops it as long as this one uses it.
    /// - Returns: false when it was alive.
    func revive() async throws(PostgresError) -> Bool { try await server.revive() }

    /// Stops the server if nobody else uses it.
    public func leave(log: Log) async {
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
        do throws(PostgresError) { try await server.stop() } catch {
            log(
                .error, "the private Postgres could not be stopped, and may run on",
                ["why": Database.explanation(of: error, in: directory)])
        }
    }

    private static func lockShared(_ directory: String) async throws(PostgresError) -> Int32 {
        var failure: (any Error)?
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
        } catch { failure = error }
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT, let failure {
                throw .privateServer(
                    detail: "cannot make the directory \(directory): "
                        + SystemError.text(of: failure))
            }
            throw .privateServer(
                detail: "cannot open the directory \(directory): \(SystemError.text(code))")
        }
        let deadline = ContinuousClock.now + .seconds(lockSecondsMax)
        while flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            guard ContinuousClock.now < deadline, !Task.isCancelled else {
                close(descriptor)
                throw .privateServer(detail: "another program is stopping \(directory)")
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return descriptor
    }
}
