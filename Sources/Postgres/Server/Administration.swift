import CPostgres
import Glibc

/// What the administrator of a private server has run. Blocks: to be called inside a
/// `BlockingCall`.
enum Administration {
    /// Runs fixed SQL in one transaction, on a connection of its own.
    /// - Parameter silenceSecondsMax: how long to wait for a server that says nothing at all.
    static func run(
        _ sql: String, url: String, silenceSecondsMax: Int
    ) throws(PostgresError) {
        let handle = try connect(url, silenceSecondsMax)
        defer { handle.finish() }
        guard let pointer = handle.pointer, let result = PQexec(pointer, sql) else {
            throw .privateServer(detail: "cannot set the server up: no answer")
        }
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            throw .privateServer(
                detail: "cannot set the server up: " + ConnectionHandle.message(of: pointer))
        }
    }

    private static func connect(
        _ url: String, _ silenceSecondsMax: Int
    ) throws(PostgresError) -> ConnectionHandle {
        let configuration = ConnectionConfiguration(url: url, applicationName: "islet setup")
        let start = ContinuousClock.now
        while true {
            do throws(PostgresError) {
                return try ConnectionHandle.open(configuration, ConnectionRecord())
            } catch {
                // One that answers is on its way: it starts, or recovers from a crash.
                let isAnswer = if case .notAdmitted = error { true } else { false }
                let secondsMax = isAnswer ? Limits.serverControlSecondsMax : silenceSecondsMax
                guard ContinuousClock.now < start + .seconds(secondsMax) else { throw error }
                usleep(UInt32(Limits.administrationPollMillis) * 1_000)
            }
        }
    }
}
