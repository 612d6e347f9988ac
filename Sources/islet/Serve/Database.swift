import EventLoop
import EventStore
import Foundation
import Postgres

/// The Postgres that a command works on: a given one, or a private one that is started for it.
struct Database: Sendable {
    static let options = DatabaseAddress.options

    /// For who may log in as two users; a private Postgres has both.
    static let visitorOption = OptionSpec(
        "database-visitor", .text(placeholder: "USER"),
        "Database user to log in as for what tenants ask, in the place of the URL's: one that has "
            + "nothing but the role islet_tenant, so that no question can become the owner of the "
            + "tables. Its password is the URL's, or its own line in PGPASSFILE.")

    private(set) var store: EventStore
    let pool: Pool
    let deliveries: Pool?
    let visitors: Pool?
    private let privateServer: SharedPostgres?

    /// As many pages as may be under way, and a few more.
    private static let deliveryConnectionsMax = 12

    /// What one node may open, for who does the arithmetic: its pools, and those that listen, append,
    /// fold and hold claims.
    static func connectionsPerNode(hasVisitor: Bool) -> ConnectionBudget.Node {
        let pooled = PoolConfiguration.connectionsMaxDefault
        return ConnectionBudget.Node(
            service: pooled + deliveryConnectionsMax + dedicatedConnectionsMax,
            visitor: hasVisitor ? pooled : 0)
    }

    private static let dedicatedConnectionsMax = 12

    /// What a command may do to the schema.
    enum Schema {
        /// Make a private Postgres where there is none, and bring it up to date. For commands that
        /// fill an empty one; any other would only find nothing in what a slip has made.
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
    ///   - loop: carries the connections; nil for one of its own.
    ///   - deliveryLoop: carries those of deliveries; nil for the same connections.
    static func open(
        _ arguments: Arguments, on loop: EventLoop? = nil,
        deliveringOn deliveryLoop: EventLoop? = nil,
        schema: Schema, log: Log
    ) async throws(CommandFailure) -> Database {
        let loop = loop ?? EventLoop(name: "postgres")
        let address = try DatabaseAddress.of(arguments)
        do throws(PostgresError) {
            let (server, url, visitor) = try await reach(address, arguments, schema, log)
            var connection = ConnectionConfiguration(url: url)
            if schema == .readOnly {
                (connection.isReadOnly, connection.statementTimeoutMillis) = (true, nil)
            }
            let pool = Pool(PoolConfiguration(connection: connection), loop: loop)
            let deliveries = deliveryLoop.map {
                Pool(
                    PoolConfiguration(
                        connection: connection, connectionsMax: deliveryConnectionsMax),
                    loop: $0)
            }
            connection.user = visitor
            let visitors = visitor.map { _ in
                Pool(PoolConfiguration(connection: connection), loop: loop)
            }
            let database = Database(
                store: .postgres(pool: pool, deliveries: deliveries, visitors: visitors),
                pool: pool, deliveries: deliveries, visitors: visitors, privateServer: server)
            do throws(PostgresError) {
                try await database.prepare(schema, log)
            } catch {
                await database.close()
                throw error
            }
            return database
        } catch {
            throw .failed(explanation(of: error))
        }
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

    /// The same; what becomes of a node's calls is noted.
    func noting(in health: StoreHealth) -> Database {
        var database = self
        database.store = store.noting(in: health)
        return database
    }

    /// Closes the connections, and stops the private server if nobody else uses it.
    func close() async {
        await deliveries?.close()
        await visitors?.close()
        await pool.close()
        await privateServer?.leave()
    }

    /// Starts the private server again whenever it has died, until the task is cancelled. It dies
    /// when its disk is full, and lives again once there is room.
    func keepServerAlive(log: Log) async {
        guard let privateServer else { return }
        var lastFailure: PostgresError?
        while !Task.isCancelled {
            do throws(PostgresError) {
                if try await privateServer.revive() {
                    log(.warning, "the private Postgres had died and was started again")
                }
                lastFailure = nil
            } catch {
                if error != lastFailure {
                    log(
                        .error, "the private Postgres is dead and cannot be started",
                        ["why": Self.explanation(of: error)])
                }
                lastFailure = error
            }
            try? await Task.sleep(for: Self.reviveInterval)
        }
    }

    /// A look at one small file, so it can be often.
    private static let reviveInterval = Duration.seconds(1)

    static func explanation(of error: PostgresError) -> String {
        switch error {
        case .server(let fault): "Postgres refused (\(fault.sqlState)): \(fault.message)"
        case .cannotConnect(let detail), .connectionLost(let detail), .poolTimedOut(let detail):
            "cannot reach Postgres: \(detail); check --database-url and that the server runs"
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

    static func explanation(of error: EventStoreError) -> String {
        switch error {
        case .unavailable(let detail): "the database is unavailable: \(detail)"
        case .outcomeUnknown(let detail): "whether it was done is unknown: \(detail)"
        case .overloaded(let detail): "more work than this node takes on: \(detail)"
        case .failed(let state, let detail): "the database refused (\(state)): \(detail)"
        case .schema(let detail): detail
        }
    }
}
