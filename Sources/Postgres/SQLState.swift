/// The SQLSTATEs that this program tells apart.
public enum SQLState {
    public static let uniqueViolation = "23505"
    public static let queryCanceled = "57014"
    public static let serializationFailure = "40001"
    public static let deadlockDetected = "40P01"
    public static let lockNotAvailable = "55P03"
    public static let readOnlyTransaction = "25006"
    public static let undefinedTable = "42P01"
    public static let connectionFailure = "08006"
    public static let diskFull = "53100"
    /// The server, the role or the database has as many connections as it may have.
    public static let tooManyConnections = "53300"
    /// Islet's own: raised by `note_move()`.
    public static let tenantMoving = "IS503"
    public static let insufficientPrivilege = "42501"
    public static let invalidPassword = "28P01"
    static let programLimitExceeded = "54000"
    public static let foreignKeyViolation = "23503"
    /// Statements are prepared under names that no other session has, and stay prepared: this
    /// session is not the one that they were prepared in.
    static let invalidStatementName = "26000"
    static let featureNotSupported = "0A000"

    /// The one table of what may pass by itself.
    static func isTransient(_ state: String) -> Bool {
        switch state {
        case serializationFailure, deadlockDetected, lockNotAvailable, queryCanceled: true
        // A primary that has become a standby, or a database that takes no writes for now. The
        // session ends (`showsUnfitSession`), and the next one finds the new primary.
        case readOnlyTransaction: true
        // Likewise: the next session has to show that it is not shared.
        case invalidStatementName: true
        // Shutting down, crashed, starting up.
        case "57P01", "57P02", "57P03": true
        // The server ended a session, or a transaction, that it had not heard of for too long.
        case "57P05", "25P03": true
        // Connection exceptions; out of memory, disk or connections.
        default: state.hasPrefix("08") || state.hasPrefix("53")
        }
    }

    /// What a session answers that will never do again what it is for, though it lives: whether it
    /// takes writes was settled when it began, and one that a pooler has begun to share stays
    /// shared. A statement that no longer fits its tables is prepared again instead, and those of
    /// class 57 end the session anyway.
    static func showsUnfitSession(_ state: String, isReadOnly: Bool) -> Bool {
        state == invalidStatementName || (state == readOnlyTransaction && !isReadOnly)
    }

    /// Messages of class 22 (data exceptions) quote the offending value.
    static func quotesValues(_ state: String) -> Bool { state.hasPrefix("22") }
}
