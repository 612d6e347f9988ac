import EventLoop
import EventStore
import Foundation
import Postgres

/// The Postgres that a command works on: a given one, or a private one that is started for it.
struct Database: Sendable {
    static let options = [
        OptionSpec(
            "database-url", .text(placeholder: "URL"),
            "Postgres to use. Without it Islet runs a private one in the data directory.",
            foreignVariable: "DATABASE_URL"),
        OptionSpec(
            "data-dir", .text(placeholder: "DIR"),
            "Where the private Postgres keeps its data; on the command line it beats a URL in the "
                + "environment. Default: /var/lib/islet for root, else ~/.local/share/islet."),
    ]

    static var defaultDataDirectory: String {
        if geteuid() == 0 { return "/var/lib/islet" }
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? "."
        return (environment["XDG_DATA_HOME"] ?? "\(home)/.local/share") + "/islet"
    }

    let store: EventStore
    let pool: Pool
    private let deliveries: Pool?
    private let privateServer: SharedPostgres?

    /// As many pages as may be under way, and a few more.
    private static let deliveryConnectionsMax = 12

    /// What a command may do to the schema.
    enum Schema {
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
        schema: Schema = .bringUpToDate, log: Log
    ) async throws(CommandFailure) -> Database {
        let loop = loop ?? EventLoop(name: "postgres")
        let given = try givenURL(arguments)
        do throws(PostgresError) {
            var server: SharedPostgres?
            if given == nil {
                let directory = arguments.text("data-dir") ?? defaultDataDirectory
                server = try await SharedPostgres.start(dataDirectory: directory)
                log(.info, "private Postgres is running", ["dataDir": directory])
            }
            let url = given ?? server?.url ?? ""
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
            let database = Database(
                store: .postgres(pool: pool, deliveries: deliveries), pool: pool,
                deliveries: deliveries, privateServer: server)
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

    /// Opens, asks the store one thing, and closes.
    static func with<Result: Sendable>(
        _ arguments: Arguments,
        _ body: @Sendable (EventStore) async throws(EventStoreError) -> Result
    ) async throws(CommandFailure) -> Result {
        let database = try await open(arguments, log: Log(lowest: .warning))
        do throws(EventStoreError) {
            let result = try await body(database.store)
            await database.close()
            return result
        } catch {
            await database.close()
            throw .failed(explanation(of: error))
        }
    }

    /// A data directory on the command line beats a URL in the environment.
    private static func givenURL(_ arguments: Arguments) throws(CommandFailure) -> String? {
        guard arguments.isTyped("data-dir") else { return arguments.text("database-url") }
        if arguments.isTyped("database-url") {
            throw .usage("--database-url and --data-dir are two databases; give one of them")
        }
        return nil
    }

    private func prepare(_ schema: Schema, _ log: Log) async throws(PostgresError) {
        switch schema {
        case .bringUpToDate:
            let applied = try await EventStore.migrator.migrate(pool)
            if !applied.isEmpty {
                log(.info, "schema brought up to date", ["migrations": "\(applied.count)"])
            }
        case .leaveAlone, .readOnly: try await EventStore.migrator.check(pool)
        }
    }

    /// Closes the connections, and stops the private server if nobody else uses it.
    func close() async {
        await deliveries?.close()
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
