public import EventLoop
public import EventStore
import Foundation
public import Postgres
import PostgresStore
public import Terminal

/// The Postgres that a command works on: a given one, or a private one that is started for it.
public struct Database: Sendable {
    public static let options = DatabaseAddress.options + [ConfigFile.option]

    /// For who may log in as two users; a private Postgres has both.
    public static let visitorOption = OptionSpec(
        "database-visitor", .text(placeholder: "USER"),
        "Database user to log in as for what tenants ask, instead of the URL's: one that has "
            + "nothing but the role islet_tenant, so that no question can become the owner of the "
            + "tables. Its password is the URL's, or its own line in PGPASSFILE.",
        excludes: "data-dir")

    public private(set) var store: EventStore
    public let pool: Pool
    /// What all connections have lived through.
    public let record: ConnectionRecord
    public let deliveries: Pool?
    public let visitors: Pool?
    private let privateServer: SharedPostgres?
    private let log: Log

    /// What a command may do to the schema.
    public enum Schema: Sendable {
        /// Make a private Postgres where there is none, and bring it up to date. For what serves,
        /// migrates or imports; any other would find nothing in what a slip has made, or leave
        /// there what no server knows of, such as a key.
        case create
        case bringUpToDate
        /// Refuse a database that is not up to date.
        case leaveAlone
        /// The same, and have the server refuse whatever would change anything, however long what
        /// is asked takes.
        case readOnly
    }

    /// Connects, starting a private server where none is given and none is running.
    /// - Parameters:
    ///   - node: the name of the node whose sessions they are; nil for a command's.
    ///   - loop: carries the connections; nil for one of its own.
    ///   - deliveryLoop: carries those of deliveries; nil for the same connections.
    ///   - memory: keeps what is acknowledged.
    ///   - other: the address of another database than the options and the environment mean.
    ///   - option: where its address was given.
    public static func open(
        _ arguments: Arguments, at other: DatabaseAddress? = nil,
        givenBy option: String = "--database-url", node: String? = nil, on loop: EventLoop? = nil,
        deliveringOn deliveryLoop: EventLoop? = nil, remembering memory: LogMemory = LogMemory(),
        schema: Schema, log: Log
    ) async throws(CommandFailure) -> Database {
        let loop = loop ?? EventLoop(name: "postgres")
        let record = ConnectionRecord { $0.write(to: log) }
        let address = if let other { other } else { try DatabaseAddress.of(arguments) }
        let opened: Database
        let refusal: String?
        do throws(PostgresError) {
            let (server, url, visitor) = try await reach(address, arguments, schema, log)
            var connection = ConnectionConfiguration(
                url: url, applicationName: node.map { "islet/\($0)" } ?? Self.commandName)
            if node == nil { connection.callTimeoutSeconds = commandCallSeconds }
            if schema == .readOnly {
                (connection.isReadOnly, connection.statementTimeoutMillis) = (true, nil)
                connection.callTimeoutSeconds = readingCallSeconds
            }
            let plan = ConnectionPlan(arguments)
            let pool = Pool(plan.main(connection), loop: loop, record: record)
            let deliveries = deliveryLoop.map {
                Pool(plan.deliveries(connection), loop: $0, record: record)
            }
            connection.user = visitor
            let visitors = visitor.map { _ in
                Pool(plan.visitors(connection), loop: loop, record: record)
            }
            let database = Database(
                store: .postgres(
                    pool: pool, deliveries: deliveries, visitors: visitors, node: node,
                    remembering: memory),
                pool: pool, record: record, deliveries: deliveries, visitors: visitors,
                privateServer: server, log: log)
            do throws(PostgresError) {
                refusal = try await database.makeReady(schema, node == nil ? nil : plan, log)
            } catch {
                await database.close()
                throw error
            }
            opened = database
        } catch {
            throw .failed(explanation(of: error, givenBy: option, in: address.directory))
        }
        guard let refusal else { return opened }
        await opened.close()
        throw .failed(refusal)
    }

    /// - Returns: the private server if it is one, the URL, and whom to log in as for what tenants
    ///   ask.
    private static func reach(
        _ address: DatabaseAddress, _ arguments: Arguments, _ schema: Schema, _ log: Log
    ) async throws(PostgresError) -> (SharedPostgres?, url: String, visitor: String?) {
        switch address {
        case .given(let url): return (nil, url, arguments.text(visitorOption.name))
        case .directory(let path):
            if schema != .create, let complaint = DataDirectory(path: path).complaint {
                throw .privateServer(detail: complaint)
            }
            let server = try await SharedPostgres.start(dataDirectory: path)
            log(.info, "private Postgres is running", ["dataDir": path])
            return (server, server.url, DatabaseRoles.visitor)
        }
    }

    /// Under which administrative acts of a command are written down.
    private static let commandName = "islet command of \(NSUserName())"
    /// What somebody waits for at a terminal may take longer than a request.
    private static let commandCallSeconds = 60.0
    /// One page of a log of any length; the user may end it with Ctrl-C.
    private static let readingCallSeconds = 3_600.0
    /// A server that starts beside its database, or in the middle of a switch-over, should not
    /// have to be started again.
    public static let startPatience = Duration.seconds(30)
    /// Between two tries of what may fail at once.
    static let startPause = Duration.milliseconds(200)

    /// A server waits for Postgres, and begins again when its connection breaks on the way.
    /// - Parameter plan: of a server; nil for a command's, which waits for nothing.
    /// - Returns: why a user of the database cannot do what it is for; nil when all can.
    private func makeReady(
        _ schema: Schema, _ plan: ConnectionPlan?, _ log: Log
    ) async throws(PostgresError) -> String? {
        let end = ContinuousClock.now + (plan == nil ? .zero : Self.startPatience)
        var isReached = false
        while true {
            do throws(PostgresError) {
                if plan != nil { _ = try await pool.query("SELECT 1") }
                isReached = true
                // Before all else: such a user may not look after the schema either.
                if let walled = try await WalledUser.look(pool) { return walled.explanation }
                try await prepare(schema, log)
                if plan != nil, let refusal = try await visitorsRefusal() { return refusal }
                try await plan?.check(pool, deliveries: deliveries, visitors: visitors, log)
                return nil
            } catch {
                guard error.isWorthWaiting, !(isReached && error.isShortOfConnections),
                    ContinuousClock.now < end, !Task.isCancelled
                else { throw error }
                log(.warning, "waiting for Postgres", ["why": Self.explanation(of: error)])
            }
            try? await Task.sleep(for: Self.startPause)
        }
    }

    /// Why Postgres lets nobody in for what tenants ask, where to wait would not help.
    private func visitorsRefusal() async throws(PostgresError) -> String? {
        guard let visitors else { return nil }
        do throws(PostgresError) {
            _ = try await visitors.query("SELECT 1")
            return nil
        } catch .notAdmitted(let error) where !PostgresError.notAdmitted(error).isTransient {
            let user = visitors.configuration.connection.user ?? DatabaseRoles.visitor
            return Self.explanation(of: error, visitor: user)
        }
    }

    /// Of a login as the user of `--database-visitor`.
    static func explanation(of error: ServerError, visitor user: String) -> String {
        "Postgres does not let \(user) in, the user of --database-visitor (\(error.sqlState)): "
            + "\(error.message); "
            + RolesCheck.remedy(ofVisitor: user, refusedWith: error.sqlState)
    }

    private func prepare(_ schema: Schema, _ log: Log) async throws(PostgresError) {
        switch schema {
        case .create, .bringUpToDate:
            let applied = try await EventStore.migrator.migrate(pool)
            if !applied.isEmpty {
                log(.info, "schema brought up to date", ["migrations": "\(applied.count)"])
            }
        case .leaveAlone, .readOnly: try await EventStore.migrator.check(pool)
        }
    }

    /// The same, whose store's calls are seen.
    public func observed(by observers: [any StoreObserver]) -> Database {
        var database = self
        database.store = store.observed(by: observers)
        return database
    }

    /// Closes the connections, and stops the private server if nobody else uses it.
    public func close() async {
        await deliveries?.close()
        await visitors?.close()
        await pool.close()
        await privateServer?.leave(log: log)
    }

    /// Starts the private server again whenever it has died, until the task is cancelled. It dies
    /// when its disk is full, and lives again once there is room.
    public func keepServerAlive(log: Log) async {
        guard let privateServer else { return }
        while !Task.isCancelled {
            do throws(PostgresError) {
                if try await privateServer.revive() {
                    log.rarely(
                        .warning, "the private Postgres had died and was started again", key: "")
                }
            } catch { log.cannotRevive(error, privateServer.directory) }
            try? await Task.sleep(for: Self.reviveInterval)
        }
    }

    /// A look at one small file, so it can be often.
    private static let reviveInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - option: where the database's address was given.
    ///   - directory: that of a private one, which has no address.
    public static func explanation(
        of error: PostgresError, givenBy option: String = "--database-url",
        in directory: DataDirectory? = nil
    ) -> String {
        switch error {
        case .server(let error) where error.sqlState == SQLState.readOnlyTransaction:
            onlyReads(error.message)
        case .server(let error) where error.sqlState == SQLState.insufficientPrivilege:
            "Postgres refused (\(error.sqlState)): \(error.message); \(whatIsMissing)"
        case .server(let error): "Postgres refused (\(error.sqlState)): \(error.message)"
        case .notAdmitted(let error) where error.sqlState == SQLState.tooManyConnections:
            "Postgres has no connection left (53300): \(error.message); let each server open fewer "
                + "(\(ConnectionPlan.optionNames)), or raise max_connections or the role's limit"
        case .notAdmitted(let error):
            "Postgres lets nobody in (\(error.sqlState)): \(error.message); "
                + (directory?.hint ?? "check \(option)")
        case .sharedSession:
            "a connection pooler stands before Postgres and gives one session to several clients "
                + "in turn (pool_mode transaction or statement), which would lose locks, settings "
                + "and notifications: set pool_mode = session for this database in the pooler, or "
                + "give \(option) the address of Postgres itself"
        case .cannotConnect(let detail), .connectionLost(let detail), .poolTimedOut(let detail):
            "cannot reach Postgres: \(detail); "
                + (directory?.hint ?? "check \(option) and that the server runs")
        case .notReplicated:
            "Postgres committed without its synchronous standbys: look at pg_stat_replication"
        case .timedOut: "Postgres did not answer in time"
        case .cancelled, .closed: "the connection was closed"
        case .poolQueueFull: "too many callers wait for Postgres"
        case .decoding(let column, let expected):
            "column \(column) is not \(expected): the schema is not Islet's"
        case .migration(.databaseIsOlder(let database, let program)):
            "the database is at migration \(database), this program needs \(program): bring it up "
                + "to date with islet migrate"
        case .migration(let refusal): refusal.description
        case .privateServer(let detail): detail
        }
    }

    private static func onlyReads(_ detail: String) -> String {
        "Postgres only takes reads (\(detail)): default_transaction_read_only is set, or the host "
            + "is a standby; islet doctor says which, and how to undo it"
    }

    private static let whatIsMissing = "islet doctor looks for privileges that are missing"

    public static func explanation(of error: EventStoreError) -> String {
        switch error {
        case .unavailable(let detail) where error.isReadOnly:
            onlyReads(detail)
        case .unavailable(let detail): "the database is unavailable: \(detail)"
        case .outcomeUnknown(let detail): "whether it was done is unknown: \(detail)"
        case .overloaded(let detail): "more work than this node takes on: \(detail)"
        case .moving(let detail): detail
        case .failed(SQLState.insufficientPrivilege, let detail):
            "the database refused (\(SQLState.insufficientPrivilege)): \(detail); \(whatIsMissing)"
        case .failed(let state, let detail): "the database refused (\(state)): \(detail)"
        case .schema(let detail): detail
        }
    }
}
