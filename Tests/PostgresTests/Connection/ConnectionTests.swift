import EventLoop
import TestSupport
import Testing

@testable import Postgres

struct ConnectionTests {
    /// These tests are about which call is cancelled, and not about how soon a busy machine answers
    /// the request: it may take almost as long as the server's own statement timeout.
    private static let cancelGraceSeconds = 20.0

    private func open(_ database: TestDatabase) async throws -> Connection {
        var configuration = ConnectionConfiguration(url: database.url)
        configuration.cancelGraceSeconds = Self.cancelGraceSeconds
        return try await Connection.open(configuration, loop: TestDatabase.loop)
    }

    @Test func `every kind of value comes back as it went`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let rows = try await pool.query(
            """
            SELECT $1::bool, $2::int2, $3::int4, $4::int8, $5::float8, $6::text, $7::bytea,
                $8::timestamptz, $9::json, $10::jsonb
            """,
            [
                .bool(true), .int2(-2), .int4(.min), .int8(.max), .float8(0.1), .text("Zoë 🍕"),
                .bytea([0, 255]), .timestamp(Timestamp(unixMicroseconds: -1)),
                .json(Array(#"{"b":1, "a":2}"#.utf8)), .jsonb(Array(#"{"b":1, "a":2}"#.utf8)),
            ])
        let row = try #require(rows.first)
        #expect(try row.get(0) == true)
        #expect(try row.get(1) == Int16(-2))
        #expect(try row.get(2) == Int32.min)
        #expect(try row.get(3) == Int64.max)
        #expect(try row.get(4) == 0.1)
        #expect(try row.get(5) == "Zoë 🍕")
        #expect(try row.get(6) == [UInt8]([0, 255]))
        #expect(try row.get(7) == Timestamp(unixMicroseconds: -1))
        #expect(try row.get(8) == Array(#"{"b":1, "a":2}"#.utf8))
        #expect(try row.get(9) == Array(#"{"a": 2, "b": 1}"#.utf8))
    }

    @Test func `arrays keep order, NULLs and emptiness`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let rows = try await pool.query(
            "SELECT a, b FROM unnest($1::text[], $2::int8[]) AS x (a, b)",
            [.texts(["one", nil, ""]), .int8s([1, 2, nil])])
        #expect(try rows.map { try $0.optional(0, as: String.self) } == ["one", nil, ""])
        #expect(try rows.map { try $0.optional(1, as: Int64.self) } == [1, 2, nil])
        let none = try await pool.query("SELECT * FROM unnest($1::int8[])", [.int8s([])])
        #expect(none.isEmpty)
        let back = try await pool.query("SELECT $1::int8[]", [.int8s([3, 1, 2])])
        #expect(try back[0].get(0, as: ColumnArray<Int64>.self).values == [3, 1, 2])
    }

    @Test func `a column of another type and a NULL are errors`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let row = try await pool.query("SELECT 1::int8 AS n, NULL::text AS t")[0]
        #expect(throws: PostgresError.self) { try row.get(0, as: String.self) }
        #expect(throws: PostgresError.self) { try row.get(1, as: String.self) }
        #expect(try row.optional(1, as: String.self) == nil)
    }

    @Test func `plans are never compiled, however expensive they look`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let rows = try await pool.query("SHOW jit")
        #expect(try rows[0].get(0) == "off")
    }

    @Test func `a batch takes effect as a whole or not at all`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        try await pool.withConnection { (c) async throws(PostgresError) in
            try await c.script("CREATE TABLE t (n int8 CONSTRAINT t_key PRIMARY KEY)")
        }
        let insert = "INSERT INTO t VALUES ($1)"
        let error = await #expect(throws: PostgresError.self) {
            try await pool.batch([
                Statement(insert, [.int8(1)]), Statement(insert, [.int8(1)]),
                Statement(insert, [.int8(2)]),
            ])
        }
        #expect(error?.sqlState == SQLState.uniqueViolation)
        guard case .server(let serverError)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(serverError.constraint == "t_key")
        #expect(try await pool.query("SELECT * FROM t").isEmpty)
        _ = try await pool.batch([Statement(insert, [.int8(1)]), Statement(insert, [.int8(2)])])
        #expect(try await pool.query("SELECT * FROM t").count == 2)
    }

    @Test func `no error repeats a value`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        try await pool.withConnection { (c) async throws(PostgresError) in
            try await c.script("CREATE TABLE t (token text PRIMARY KEY)")
        }
        let insert = "INSERT INTO t VALUES ($1)"
        for sql in [insert, insert, "SELECT ($1::text)::int8", "SELECT ($1::text)::jsonb"] {
            do {
                _ = try await pool.query(sql, [.text("secret-token")])
            } catch {
                #expect(!"\(error)".contains("secret"))
                #expect(!error.isTransient)
            }
        }
        #expect(!"\(Parameter.text("secret-token"))".contains("secret"))
    }

    @Test func `a cancelled task stops its statement and the connection lives on`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let connection = try await open(database)
        let task = Task { () async -> PostgresError? in
            do throws(PostgresError) {
                _ = try await connection.query("SELECT pg_sleep(60)")
                return nil
            } catch {
                return error
            }
        }
        try await waitUntil {
            let rows = try await database.pool.query(
                """
                SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%'
                    AND pid <> pg_backend_pid() AND datname = current_database()
                """)
            return !rows.isEmpty
        }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(try await connection.query("SELECT 1::int4")[0].get(0) == Int32(1))
        await connection.close()
    }

    @Test func `a deadline stops its own statement and none behind it`() async throws {
        let connection = try await open(try await TestDatabase.makeEmpty())
        let slow = Task.immediate {
            try await connection.query("SELECT pg_sleep(60)", timeout: .milliseconds(100))
        }
        let next = Task.immediate { try await connection.query("SELECT 7::int4") }
        do {
            _ = try await slow.value
            Issue.record("the slow statement ended in success")
        } catch {
            #expect(error as? PostgresError == .timedOut)
        }
        #expect(try await next.value[0].get(0) == Int32(7))
        await connection.close()
    }

    @Test func `calls sent ahead are answered in order, and one that fails harms no other`()
        async throws
    {
        let connection = try await open(try await TestDatabase.makeEmpty())
        // Each is handed to the connection before the next begins.
        let slow = Task.immediate { try await connection.query("SELECT pg_sleep(0.05), 1::int4") }
        let broken = Task.immediate {
            try await connection.query("SELECT 1 / ($1::int4 - 1)", [.int4(1)])
        }
        let script = Task.immediate {
            try await connection.script("CREATE TEMPORARY TABLE t (n int4)")
        }
        let last = Task.immediate { try await connection.query("SELECT count(*) FROM t") }
        #expect(try await slow.value.first?.get(1) == Int32(1))
        await #expect(throws: PostgresError.self) { try await broken.value }
        try await script.value
        #expect(try await last.value.first?.get(0) == Int64(0))
    }

    @Test func `a call sent ahead that is given up neither runs on nor stops the one before it`()
        async throws
    {
        let connection = try await open(try await TestDatabase.makeEmpty())
        let first = Task.immediate { try await connection.query("SELECT pg_sleep(0.3), 1::int4") }
        let clock = ContinuousClock.now
        await #expect(throws: PostgresError.timedOut) {
            try await connection.query("SELECT pg_sleep(60)", timeout: .milliseconds(50))
        }
        #expect(try await first.value.first?.get(1) == Int32(1))
        // Without the request the server itself would end it, after thirty seconds.
        #expect(ContinuousClock.now - clock < .seconds(Self.cancelGraceSeconds + 5))
        #expect(try await connection.query("SELECT 2::int4").first?.get(0) == Int32(2))
    }

    @Test func `nothing is sent while one of several cancel requests is on its way`() async throws {
        let database = try await TestDatabase.makeEmpty()
        var configuration = ConnectionConfiguration(url: database.url)
        configuration.cancelGraceSeconds = Self.cancelGraceSeconds
        let delayed = Lock<[@Sendable () -> Void]>([])
        let connection = try await Connection.open(
            configuration, loop: TestDatabase.loop, record: ConnectionRecord()
        ) { name, work in
            guard name == "pg-cancel" else { return OwnThread.start(name, work) }
            delayed.withLock { $0.append(work) }
            return 0
        }
        // The request for the first one is late: it ends by itself.
        let first = Task.immediate {
            try await connection.query("SELECT pg_sleep(0.5), 1::int4", timeout: .milliseconds(50))
        }
        let second = Task.immediate {
            try await connection.query("SELECT pg_sleep(60)", timeout: .milliseconds(50))
        }
        #expect(try await first.value.first?.get(1) == Int32(1))
        try await waitUntil { delayed.value.count == 2 }
        let third = Task.immediate { try await connection.query("SELECT pg_sleep(1), 3::int4") }
        delayed.value[0]()
        await #expect(throws: PostgresError.timedOut) { try await second.value }
        try await Task.sleep(for: .milliseconds(200))
        delayed.value[1]()
        #expect(try await third.value.first?.get(1) == Int32(3))
        await connection.close()
    }

    @Test func `the server's own statement timeout is a transient error`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let connection = try await Connection.open(
            ConnectionConfiguration(url: database.url, statementTimeoutMillis: 50),
            loop: TestDatabase.loop)
        let error = await #expect(throws: PostgresError.self) {
            try await connection.query("SELECT pg_sleep(60)")
        }
        #expect(error == .timedOut)
        #expect(error?.isTransient == true)
        await connection.close()
    }

    @Test func `a prepared statement survives a change of its table`() async throws {
        let connection = try await open(try await TestDatabase.makeEmpty())
        try await connection.script("CREATE TABLE t (n int4); INSERT INTO t VALUES (1)")
        #expect(try await connection.query("SELECT * FROM t")[0].get(0) == Int32(1))
        try await connection.script("ALTER TABLE t ALTER n TYPE int8")
        await #expect(throws: PostgresError.self) {
            try await connection.query("SELECT * FROM t")
        }
        #expect(try await connection.query("SELECT * FROM t")[0].get(0) == Int64(1))
        await connection.close()
    }

    @Test func `a statement is prepared once, and once more apart from others of its text`()
        async throws
    {
        let connection = try await open(try await TestDatabase.makeEmpty())
        var apart = Statement("SELECT 1")
        apart.isPreparedApart = true
        for _ in 1...3 { _ = try await connection.batch([apart, Statement("SELECT 1"), apart]) }
        let rows = try await connection.query(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 1'")
        #expect(try rows[0].get(0) == Int64(2))
        await connection.close()
    }

    @Test func `more statement texts than the cache has room for still run`() async throws {
        let connection = try await open(try await TestDatabase.makeEmpty())
        for number in 0..<300 {
            let rows = try await connection.query("SELECT $1::int8 + \(number)", [.int8(1)])
            #expect(try rows[0].get(0) == Int64(number + 1))
        }
        let rows = try await connection.query(
            "SELECT count(*) FROM pg_prepared_statements WHERE NOT from_sql")
        #expect(try rows[0].get(0, as: Int64.self) <= 256)
        await connection.close()
    }

    @Test func `a megabyte goes there and back`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let large = [UInt8](repeating: 7, count: 1 << 20)
        let rows = try await pool.query("SELECT $1::bytea", [.bytea(large)])
        let there: [UInt8] = try rows[0].get(0)
        #expect(there == large)
    }

    @Test func `an unreachable server is a transient error that names no password`() async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await Connection.open(
                ConnectionConfiguration(url: "postgresql://me:hunter2@/x?host=/nowhere"),
                loop: TestDatabase.loop)
        }
        #expect(error?.isTransient == true)
        #expect(!"\(String(describing: error))".contains("hunter2"))
    }

    @Test func `the first reachable host of several is taken`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let host = try #require(database.url.split(separator: "host=").last)
        let several = database.url.replacing("host=\(host)", with: "host=%2Fnowhere,\(host)")
        let connection = try await Connection.open(
            ConnectionConfiguration(url: several), loop: TestDatabase.loop)
        #expect(try await connection.query("SELECT 1::int4")[0].get(0) == Int32(1))
        await connection.close()
    }
}
