import EventStore
import Foundation
import Locks
public import Postgres
import PostgresStore
import Testing

/// One private Postgres for the whole test process, in a temporary directory, without durability.
public actor TestServer {
    public static let shared = TestServer()

    /// What new databases are copies of.
    enum Template: Hashable, Sendable {
        case migrated
        /// As a private Postgres is: by a user who serves and is nothing special.
        case migratedByService
        /// By a user who is nothing special.
        case migratedByOrdinaryUser(String, entersTenantRole: Bool)

        /// Whose the database is; nil for the administrator's.
        var owner: String? {
            switch self {
            case .migrated: nil
            case .migratedByService: DatabaseRoles.service
            case .migratedByOrdinaryUser(let name, _): name
            }
        }
    }

    private var starting: Task<PrivatePostgres, any Error>?
    private var templates: [Template: Task<String, any Error>] = [:]
    private var databaseCount = 0
    /// Databases of the test that runs, where one runs at a time.
    private var ofTest: (id: Test.ID?, databases: [String]) = (nil, [])
    private var pastTests: Set<Test.ID> = []
    private static let pools = Lock<[(test: Test.ID, pool: Pool)]>([])
    private static let runsOneByOne = CommandLine.arguments.contains("--no-parallel")

    /// The running server.
    public func server() async throws -> PrivatePostgres {
        if let starting { return try await starting.value }
        let task = Task {
            let directory = Self.temporaryDirectory()
            let server = try await PrivatePostgres.start(
                dataDirectory: directory,
                settings: [
                    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
                    "max_connections": "2000", "shared_buffers": "64MB",
                    // Every minute for each of hundreds of databases would be all the time.
                    "autovacuum_naptime": "3600",
                ])
            try Self.cleanUpAfterThisProcess(server, directory)
            return server
        }
        starting = task
        return try await task.value
    }

    /// A new database, empty or a copy of a template.
    func makeDatabase(
        _ template: Template?, by run: (String) async throws -> Void
    ) async throws -> String {
        try await clearAfterLastTest(run)
        databaseCount += 1
        let name = "test_\(databaseCount)"
        ofTest.databases.append(name)
        var sql = "CREATE DATABASE \(name)"
        // By files: half the time of going through the log.
        if let template {
            sql += " TEMPLATE \(try await self.name(of: template)) STRATEGY FILE_COPY"
        }
        if let owner = template?.owner { sql += " OWNER \(owner)" }
        try await run(sql)
        // As `roles.sql` did in the template, whose privileges a copy has not.
        if template == .migratedByService {
            try await run("REVOKE TEMPORARY ON DATABASE \(name) FROM PUBLIC")
        }
        return name
    }

    /// Hundreds of databases would fill the memory that they are in, and each connection is a
    /// process of the server.
    private func clearAfterLastTest(_ run: (String) async throws -> Void) async throws {
        // A task that a past test left behind may still make one.
        guard Self.runsOneByOne, let id = Test.current?.id, id != ofTest.id,
            !pastTests.contains(id)
        else { return }
        let (last, databases) = ofTest
        if let last { pastTests.insert(last) }
        ofTest = (id, [])
        let old = Self.pools.withLock { pools in
            defer { pools.removeAll { $0.test == last } }
            return pools.filter { $0.test == last }
        }
        for (_, pool) in old { await pool.close() }
        for name in databases { try await run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }
    }

    /// The pool is closed once another test needs a database.
    static func note(_ pool: Pool) {
        guard runsOneByOne, let id = Test.current?.id else { return }
        pools.withLock { $0.append((id, pool)) }
    }

    private func name(of template: Template) async throws -> String {
        if let task = templates[template] { return try await task.value }
        let task = Task { try await TestDatabase.make(template) }
        templates[template] = task
        let name = try await task.value
        ofTest.databases.removeAll { $0 == name }
        return name
    }

    /// Not under the package, since the server's user must be able to enter it. In memory where
    /// there is room: a file system that keeps a journal spends more on the files of hundreds of
    /// databases than the tests do.
    public static func temporaryDirectory() -> String {
        let process = ProcessInfo.processInfo.processIdentifier
        return "\(place)/islet-tests-\(process)-\(UInt32.random(in: 0 ... .max))"
    }

    /// Where servers of tests have their files.
    public static let place: String = {
        let memory = "/dev/shm"
        // Only where databases are dropped with their tests.
        guard runsOneByOne else { return "/tmp" }
        let found = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = found?[.systemFreeSize] as? Int64 ?? 0
        // Several processes of tests look at the same time, and share it.
        return free > 8 << 30 ? memory : "/tmp"
    }()

    /// A shell of its own session waits for this process to end, however it ends, then stops the
    /// server and removes the directory, and those of its copies, which have its name and more.
    public static func cleanUpAfterThisProcess(
        _ server: PrivatePostgres, _ directory: String
    ) throws {
        let me = ProcessInfo.processInfo.processIdentifier
        let stop = server.killCommand.joined(separator: " ")
        let remove = "rm -rf \(directory) \(directory)-*"
        try Program.leave("while kill -0 \(me) 2>/dev/null; do sleep 1; done; \(stop); \(remove)")
    }
}
