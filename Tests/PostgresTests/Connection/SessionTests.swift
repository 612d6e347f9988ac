import EventLoop
import TestSupport
import Testing

@testable import Postgres

struct `A session` {
    private func open(
        _ change: (inout ConnectionConfiguration) -> Void = { _ in }
    ) async throws -> Connection {
        let database = try await TestDatabase.makeEmpty()
        var configuration = ConnectionConfiguration(url: database.url)
        change(&configuration)
        return try await Connection.open(configuration, loop: TestDatabase.loop)
    }

    private func setting(_ name: String, of connection: Connection) async throws -> String {
        let sql = "SELECT current_setting($1)"
        return try #require(try await connection.query(sql, [.text(name)]).first).text(0)
    }

    @Test func `begins with settings that keep it from harm`() async throws {
        let connection = try await open {
            $0.applicationName = "islet baker"
            $0.statementTimeoutMillis = 7_000
        }
        for (name, value) in [
            ("TimeZone", "UTC"), ("idle_in_transaction_session_timeout", "10s"),
            ("log_parameter_max_length_on_error", "0"), ("statement_timeout", "7s"),
            ("application_name", "islet baker"), ("client_encoding", "UTF8"),
            ("default_transaction_read_only", "off"),
        ] {
            #expect(try await setting(name, of: connection) == value, "\(name)")
        }
        #expect(await !connection.isBehindPooler)
        let pid = try await connection.query("SELECT pg_backend_pid()")[0].int4(0)
        #expect(pid == connection.backendPID)
        await connection.close()
    }

    @Test func `means the same whatever is set for the database, unless its string says so`()
        async throws
    {
        let database = try await TestDatabase.makeEmpty()
        let found = try await database.pool.query("SELECT quote_ident(current_database())")
        let name: String = try #require(found.first).get(0)
        for (setting, value) in [
            ("search_path", "oven"), ("row_security", "off"),
            ("standard_conforming_strings", "off"), ("client_min_messages", "error"),
            ("default_transaction_isolation", "serializable"),
        ] {
            _ = try await database.pool.query("ALTER DATABASE \(name) SET \(setting) = \(value)")
        }
        var configuration = ConnectionConfiguration(url: database.url)
        let connection = try await Connection.open(configuration, loop: TestDatabase.loop)
        for (setting, value) in [
            ("search_path", #""$user", public"#), ("row_security", "on"),
            ("standard_conforming_strings", "on"), ("client_min_messages", "warning"),
            ("default_transaction_isolation", "read committed"),
        ] {
            #expect(try await self.setting(setting, of: connection) == value, "\(setting)")
        }
        await connection.close()
        for options in ["-csearch_path%3Dkitchen", "--search-path%3Dkitchen"] {
            configuration.url = "\(database.url)&options=\(options)"
            let told = try await Connection.open(configuration, loop: TestDatabase.loop)
            #expect(try await setting("search_path", of: told) == "kitchen", "\(options)")
            await told.close()
        }
    }

    @Test func `has the server's own patience if none is given, and the string's own name`()
        async throws
    {
        let connection = try await open {
            $0.url += "&application_name=oven"
            $0.statementTimeoutMillis = nil
        }
        #expect(try await setting("statement_timeout", of: connection) == "0")
        #expect(try await setting("application_name", of: connection) == "oven")
        await connection.close()
    }

    @Test func `waits for a lock as long as it is given`() async throws {
        let connection = try await open { $0.lockTimeoutMillis = 1_500 }
        #expect(try await setting("lock_timeout", of: connection) == "1500ms")
        await connection.close()
    }

    @Test func `that only reads changes nothing`() async throws {
        let connection = try await open { $0.isReadOnly = true }
        let error = await #expect(throws: PostgresError.self) {
            try await connection.script("CREATE TABLE t (n int4)")
        }
        #expect(error?.sqlState == SQLState.readOnlyTransaction)
        #expect(try await connection.query("SELECT 1::int4")[0].int4(0) == 1)
        await connection.close()
    }

    @Test func `takes an empty batch and an empty statement`() async throws {
        let connection = try await open()
        #expect(try await connection.batch([]).isEmpty)
        #expect(try await connection.query("").isEmpty)
        let answers = try await connection.batch([Statement(""), Statement("SELECT 1::int4")])
        #expect(answers.map(\.count) == [0, 1])
        await connection.close()
    }

    @Test func `whose commit is refused has no transaction left`() async throws {
        let connection = try await open()
        try await connection.script(
            "CREATE TABLE t (n int4 CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let error = await #expect(throws: PostgresError.self) {
            try await connection.transaction { (connection) async throws(PostgresError) in
                _ = try await connection.query("INSERT INTO t VALUES (1), (1)")
            }
        }
        guard case .server(let serverError)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(serverError.sqlState == SQLState.uniqueViolation)
        #expect(serverError.constraint == "once")
        #expect(await !connection.isInTransaction)
        #expect(try await connection.query("SELECT FROM t").isEmpty)
        await connection.close()
    }

    @Test func `is in a transaction until its end, even after a statement that failed`()
        async throws
    {
        let connection = try await open()
        let seen = Lock<[Bool]>([])
        await #expect(throws: PostgresError.self) {
            try await connection.transaction { (connection) async throws(PostgresError) in
                seen.withLock { $0 = [] }
                let before = await connection.isInTransaction
                do throws(PostgresError) { _ = try await connection.query("SELECT 1 / 0") } catch {}
                let after = await connection.isInTransaction
                seen.withLock { $0 = [before, after] }
                _ = try await connection.query("SELECT 1")
            }
        }
        #expect(seen.value == [true, true])
        #expect(await !connection.isInTransaction)
        #expect(try await connection.query("SELECT 1::int4")[0].int4(0) == 1)
        await connection.close()
    }

    @Test func `informs all who asked once that it has ended, and those who ask later at once`()
        async throws
    {
        let connection = try await open()
        let told = Lock<[PostgresError]>([])
        for _ in 0..<2 {
            await connection.onClose { reason in told.withLock { $0.append(reason) } }
        }
        let slow = Task.immediate { try await connection.query("SELECT pg_sleep(60)") }
        await connection.close()
        await #expect(throws: PostgresError.closed) { try await slow.value }
        await #expect(throws: PostgresError.closed) { try await connection.query("SELECT 1") }
        await #expect(throws: PostgresError.closed) { try await connection.script("SELECT 1") }
        await connection.close()
        #expect(told.value == [.closed, .closed])
        await connection.onClose { reason in told.withLock { $0.append(reason) } }
        #expect(told.value.count == 3)
        #expect(await connection.isClosed)
    }

    @Test func `with a heartbeat is ended by the server if nothing is heard of it`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let connection = try await database.pool.openDedicated(hasHeartbeat: true)
        #expect(connection.heartbeat.isFresh)
        #expect(try await setting("idle_session_timeout", of: connection) == "11s")
        try await connection.beatNow()
        #expect(connection.heartbeat.isFresh)
        await connection.close()
        #expect(!connection.heartbeat.isFresh)
        await #expect(throws: PostgresError.closed) { try await connection.beatNow() }
        let plain = try await database.pool.openDedicated()
        #expect(!plain.heartbeat.isFresh)
        await plain.close()
    }

    @Test func `outside the limit of a pool is there until it ends`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let pool = database.makePool(connectionsMax: 1)
        let own = try await pool.openDedicated(beginningWith: "SET search_path = oven")
        #expect(try await setting("search_path", of: own) == "oven")
        #expect(await pool.load.lent == 1)
        #expect(await pool.openCount == 0)
        await #expect(throws: PostgresError.self) {
            try await pool.openDedicated(beginningWith: "SET nonsense.at all")
        }
        #expect(await pool.load.lent == 1)
        await own.close()
        #expect(await pool.load.lent == 0)
        let last = try await pool.openDedicated()
        await pool.close()
        #expect(await last.isClosed)
        await #expect(throws: PostgresError.closed) { try await pool.openDedicated() }
    }
}
