import CPostgres
import Glibc

/// What the administrator of a private server has run. Blocks: to be called inside a
/// `BlockingCall`.
enum Administration {
    /// Runs fixed SQL in one transaction, on a connection of its own.
    static func run(_ sql: String, url: String) throws(PostgresError) {
        let handle = try connect(url)
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

    private static func connect(_ url: String) throws(PostgresError) -> ConnectionHandle {
        let configuration = ConnectionConfiguration(url: url, applicationName: "islet setup")
        let deadline = ContinuousClock.now + .seconds(Limits.serverControlSecondsMax)
        while true {
            switch ConnectionHandle.open(configuration, ConnectionRecord()) {
            case .success(let handle): return handle
            case .failure(let error):
                guard ContinuousClock.now < deadline else { throw error }
                usleep(UInt32(Limits.administrationPollMillis) * 1_000)
            }
        }
    }
}
