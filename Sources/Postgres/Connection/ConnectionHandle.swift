import CPostgres
import Glibc

/// Owns a `PGconn`.
///
/// `@unchecked Sendable`: used by one thread at a time. First by the thread that connects, then by
/// the connection's loop only; the hand-over is a continuation.
final class ConnectionHandle: @unchecked Sendable {
    private(set) var pointer: OpaquePointer?
    /// The server has said, since this was last taken, that a commit did not wait for its standbys.
    private var hasCommittedAlone = false

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { finish() }

    /// Closes the socket. Whoever watches it must have stopped before.
    func finish() {
        if let pointer { PQfinish(pointer) }
        pointer = nil
    }

    /// Connects; blocks for as long as name lookup, handshake and the tried hosts take. libpq's
    /// non-blocking connect would still look names up in a blocking way.
    static func open(_ configuration: ConnectionConfiguration) -> Result<
        ConnectionHandle, PostgresError
    > {
        // libpq would quote what it does not understand, which may be a password.
        if let complaint = ConnectionString(configuration.url).complaint {
            return .failure(.cannotConnect(detail: "the database's URL \(complaint)"))
        }
        // Later ones beat those of the URL.
        let user = configuration.user.map { [("user", $0)] } ?? []
        let settings =
            [("dbname", configuration.url)] + user + [
                ("fallback_application_name", configuration.applicationName),
                ("connect_timeout", String(configuration.connectTimeoutSeconds)),
                ("client_encoding", "UTF8"),
            ]
        guard let pointer = connect(settings) else {
            return .failure(.cannotConnect(detail: "out of memory"))
        }
        let handle = ConnectionHandle(pointer)
        handle.readNotices()
        guard PQstatus(pointer) == CONNECTION_OK else {
            return .failure(.cannotConnect(detail: message(of: pointer)))
        }
        if let failure = setUp(pointer, configuration) { return .failure(failure) }
        guard PQsetnonblocking(pointer, 1) == 0 else {
            return .failure(.cannotConnect(detail: message(of: pointer)))
        }
        return .success(handle)
    }

    private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
        let keywords = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        let keywordPointers = keywords.map { UnsafePointer($0) } + [nil]
        let valuePointers = values.map { UnsafePointer($0) } + [nil]
        return PQconnectdbParams(keywordPointers, valuePointers, 1)
    }

    private static func setUp(
        _ pointer: OpaquePointer, _ configuration: ConnectionConfiguration
    ) -> PostgresError? {
        // A password or notice never gets here: these are fixed words and one integer.
        var sql = "SET TimeZone = 'UTC'"
        // A client that stands still must not keep what it has locked, nor a server that sends it
        // something waiting.
        let rest = "'\(Limits.transactionRestSecondsMax)s'"
        sql += "; SET idle_in_transaction_session_timeout = \(rest)"
        sql += "; SET tcp_user_timeout = \(rest)"
        if let millis = configuration.statementTimeoutMillis {
            sql += "; SET statement_timeout = \(millis)"
        }
        if configuration.isReadOnly { sql += "; SET default_transaction_read_only = on" }
        guard let result = PQexec(pointer, sql) else {
            return .cannotConnect(detail: message(of: pointer))
        }
        defer { PQclear(result) }
        return PQresultStatus(result) == PGRES_COMMAND_OK
            ? nil : .cannotConnect(detail: message(of: pointer))
    }

    /// True once after each commit that the server carried out without waiting for its synchronous
    /// standbys any longer: the call that it belongs to is the one being answered.
    func takeCommittedAlone() -> Bool {
        defer { hasCommittedAlone = false }
        return hasCommittedAlone
    }

    /// Of all notices one matters: a wait for synchronous standbys that was cancelled. The server
    /// commits then and says so in a warning, whose text depends on its language; the function that
    /// it comes from does not (src/backend/replication/syncrep.c).
    private func readNotices() {
        // Not retained: libpq calls back only from calls made with `pointer`, which this closes.
        let unmanaged = Unmanaged.passUnretained(self).toOpaque()
        _ = PQsetNoticeReceiver(
            pointer,
            { handle, result in
                guard let handle, let source = PQresultErrorField(result, noticeSourceFunction),
                    strcmp(source, "SyncRepWaitForLSN") == 0
                else { return }
                Unmanaged<ConnectionHandle>.fromOpaque(handle).takeUnretainedValue()
                    .hasCommittedAlone = true
            }, unmanaged)
    }

    /// libpq's message: names hosts, users and databases, never passwords or parameters, since the
    /// string it connects with was understood as it was meant; see `ConnectionString`.
    static func message(of pointer: OpaquePointer?) -> String {
        guard let pointer, let text = PQerrorMessage(pointer) else { return "no message" }
        let lines = String(cString: text).split(whereSeparator: \.isNewline)
        let joined = lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
        return String(joined.prefix(Limits.messageCharactersMax))
    }
}

/// `PG_DIAG_SOURCE_FUNCTION`, a character constant that Swift does not import.
private let noticeSourceFunction = Int32(UInt8(ascii: "R"))
