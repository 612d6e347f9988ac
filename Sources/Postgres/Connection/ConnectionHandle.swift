import CPostgres
import Glibc

/// Owns a `PGconn`.
///
/// `@unchecked Sendable`: used by one thread at a time. First by the thread that connects, then by
/// the connection's loop only; the hand-over is a continuation.
final class ConnectionHandle: @unchecked Sendable {
    private(set) var pointer: OpaquePointer?
    /// Where it leads.
    let address: ServerAddress
    /// The name of the server among those of the connection string.
    var serverListed: String
    /// What it is; nil for one that takes no writes, or that does not say which cluster it is of.
    var writable: WritableServer?
    /// The server has said, since this was last taken, that a commit did not wait for its standbys.
    private var hasCommittedAlone = false

    init(_ pointer: OpaquePointer, _ address: ServerAddress) {
        self.pointer = pointer
        self.address = address
        serverListed = address.name
    }

    deinit { finish() }

    /// Closes the socket. Nothing may watch the socket any more.
    func finish() {
        if let pointer { PQfinish(pointer) }
        pointer = nil
    }

    /// Connects; blocks for as long as name lookup, handshake and the tried hosts take.
    static func open(
        _ configuration: ConnectionConfiguration, _ record: ConnectionRecord
    ) throws(PostgresError) -> ConnectionHandle {
        let dial = try Dial(configuration, record)
        let handle = try dial.connect()
        try handle.provesItsOwn(dial)
        guard let pointer = handle.pointer, PQsetnonblocking(pointer, 1) == 0 else {
            throw .cannotConnect(detail: message(of: handle.pointer))
        }
        record.noteReached(handle.serverListed)
        return handle
    }

    /// The process that answers; that of the greeting is a pooler's invention, where there is one.
    var backendPID: Int32 = 0

    private func provesItsOwn(_ dial: Dial) throws(PostgresError) {
        guard let pointer, PQbackendPID(pointer) != backendPID, dial.record.mustProveSessions
        else { return }
        guard try SessionProof(dial: dial, handle: self).isOwn() else { throw .sharedSession }
        dial.record.noteSessionsProven()
    }

    /// Waits until the socket is ready.
    /// - Returns: false when that took too long.
    func waits(for events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        guard let pointer else { return false }
        var watched = pollfd(fd: PQsocket(pointer), events: Int16(events), revents: 0)
        while true {
            let left = (deadline - .now) / .milliseconds(1)
            guard left > 0 else { return false }
            let count = poll(&watched, 1, Int32(clamping: Int(left.rounded(.up))))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    /// Sends fixed SQL and waits for its end; for the thread that connects.
    /// - Returns: the first row of the last result.
    func exchange(_ sql: String, within time: Duration) throws(PostgresError) -> [String?] {
        let deadline = ContinuousClock.now + time
        guard let pointer, PQsendQuery(pointer, sql) == 1 else { throw broken }
        var row: [String?] = []
        var failure: PostgresError?
        while true {
            while PQisBusy(pointer) != 0 {
                guard waits(for: POLLIN, until: deadline) else { throw .timedOut }
                guard PQconsumeInput(pointer) == 1 else { throw broken }
            }
            guard let result = PQgetResult(pointer) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK: row = []
            case PGRES_TUPLES_OK: row = Self.firstRow(of: result)
            // Read to the end, so that the session can be asked something else.
            default: failure = broken
            }
        }
        if let failure { throw failure }
        return row
    }

    private static func firstRow(of result: OpaquePointer) -> [String?] {
        guard PQntuples(result) > 0 else { return [] }
        return (0..<PQnfields(result)).map { column in
            guard PQgetisnull(result, 0, column) == 0 else { return nil }
            return PQgetvalue(result, 0, column).map { String(cString: $0) }
        }
    }

    private var broken: PostgresError { .cannotConnect(detail: Self.message(of: pointer)) }

    /// True once after each commit that the server carried out without waiting for its synchronous
    /// standbys any longer: the call that it belongs to is the one being answered.
    func takeCommittedAlone() -> Bool {
        defer { hasCommittedAlone = false }
        return hasCommittedAlone
    }

    /// Of all notices one matters: a wait for synchronous standbys that was cancelled. The server
    /// commits then and says so in a warning, whose text depends on its language; the function that
    /// it comes from does not (src/backend/replication/syncrep.c).
    func readNotices() {
        guard let pointer else { return }
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
        guard let pointer else { return "no message" }
        let joined = text(of: pointer).joined(separator: "; ")
        return String(joined.prefix(Limits.messageCharactersMax))
    }

    static func text(of pointer: OpaquePointer) -> [String] {
        guard let text = PQerrorMessage(pointer) else { return ["no message"] }
        return String(cString: text).split(whereSeparator: \.isNewline).map {
            String($0.drop(while: \.isWhitespace))
        }
    }
}

/// `PG_DIAG_SOURCE_FUNCTION`, a character constant that Swift does not import.
private let noticeSourceFunction = Int32(UInt8(ascii: "R"))
