/// Why Postgres could not do it. Carries no parameters: neither those of a statement nor the values
/// that the server quotes in its DETAIL lines.
public enum PostgresError: Error, Hashable, Sendable {
    /// The server refused a statement.
    case server(ServerError)
    /// No connection could be made.
    case cannotConnect(detail: String)
    /// The server, or a pooler before it, let nobody in, for the reason that its SQLSTATE says.
    case notAdmitted(ServerError)
    /// Between here and the server stands a pooler that gives one session to several clients.
    case sharedSession
    /// The connection broke; whether a statement under way took effect is unknown.
    case connectionLost(detail: String)
    /// The server committed, and stopped waiting for its synchronous standbys before they had it.
    /// Whether the commit outlives this server is unknown.
    case notReplicated
    /// The deadline passed; the statement was cancelled.
    case timedOut
    /// The calling task was cancelled, and the statement with it.
    case cancelled
    /// No connection of the pool became free in time. `detail` names the last connection failure.
    case poolTimedOut(detail: String)
    /// Too many callers already wait for a connection.
    case poolQueueFull
    /// The pool or the connection was closed by this program.
    case closed
    /// A column is missing, null or of another type than asked for.
    case decoding(column: String, expected: String)
    /// The database's migrations and this program's do not fit together.
    case migration(MigrationRefusal)
    /// The private server could not be set up, started or stopped.
    case privateServer(detail: String)

    /// True when the same call may well succeed later.
    public var isTransient: Bool {
        switch self {
        case .server(let serverError), .notAdmitted(let serverError):
            serverError.isOutOfIDs || SQLState.isTransient(serverError.sqlState)
        case .cannotConnect, .connectionLost, .notReplicated, .timedOut, .poolTimedOut,
            .poolQueueFull:
            true
        case .cancelled, .closed, .decoding, .migration, .privateServer, .sharedSession: false
        }
    }

    /// SQLSTATE, where the server gave one.
    public var sqlState: String? {
        if case .server(let serverError) = self { serverError.sqlState } else { nil }
    }
}

/// What the server said about a refused statement.
public struct ServerError: Error, Hashable, Sendable {
    /// Five characters, for example `23505`.
    public var sqlState: String
    /// The primary message; for data exceptions only their class, since those quote values.
    public var message: String
    /// Name of the violated constraint.
    public var constraint: String?
    /// Postgres gives out no ids of transactions, and so takes no writes, before old ones are
    /// vacuumed away.
    public var isOutOfIDs = false

    public init(sqlState: String, message: String, constraint: String? = nil) {
        self.sqlState = sqlState
        self.message = message
        self.constraint = constraint
    }
}

/// Why migrating was refused. Nothing was changed.
public enum MigrationRefusal: Hashable, Sendable, CustomStringConvertible {
    /// An applied migration reads differently in this program.
    case changed(number: Int, name: String)
    /// The database was made by other migrations: by a program from before the first release.
    case otherHistory(number: Int, database: String, program: String)
    /// The database has migrations that this program does not know.
    case databaseIsNewer(database: Int, program: Int)
    /// The database lacks migrations of this program (only when checking without migrating).
    case databaseIsOlder(database: Int, program: Int)
    /// The tables are there, in a schema that is not searched.
    case otherSchema(String)

    public var description: String {
        switch self {
        case .changed(let number, let name):
            "migration \(number) (\(name)) was applied to this database with other content; "
                + "migrations are never edited, add a new one instead"
        case .otherHistory(let number, let database, let program):
            "the database was made by a program from before the first release (its migration "
                + "\(number) is \(database), this program's is \(program)), and its tables cannot "
                + "be taken over: export each tenant's log with the program that made it, and "
                + "import it into a new database"
        case .databaseIsNewer(let database, let program):
            "the database is at migration \(database), this program knows only \(program): "
                + "use a newer version of the program"
        case .databaseIsOlder(let database, let program):
            "the database is at migration \(database), this program needs \(program): migrate first"
        case .otherSchema(let schema):
            "the database has Islet's tables in the schema \(schema), where they are not looked "
                + "for: add options=-csearch_path%3D\(schema) to the URL"
        }
    }
}
