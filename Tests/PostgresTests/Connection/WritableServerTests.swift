import EventLoop
import TestSupport
import Testing

@testable import Postgres

private func server(
    _ name: String, _ timeline: Int64, cluster: String = "7", startedAt: String? = nil
) -> WritableServer {
    WritableServer(
        name: name, cluster: cluster, timeline: timeline, startedAt: startedAt ?? name)
}

struct `Which server has the newest timeline` {
    private let diagnostics = Lock<[ConnectionRecord.Diagnostic]>([])
    private let heard = Lock<[String]>([])

    private func record() -> ConnectionRecord {
        let record = ConnectionRecord { [diagnostics] diagnostic in
            diagnostics.withLock { $0.append(diagnostic) }
        }
        record.onNewest { [heard] newest in heard.withLock { $0.append(newest.name) } }
        return record
    }

    @Test func `is remembered, and an older one of the same cluster is refused`() {
        let record = record()
        #expect(record.admit(server("a:5432", 1)) == nil)
        #expect(record.admit(server("b:5432", 2)) == nil)
        #expect(record.admit(server("b:5432", 2)) == nil)
        #expect(record.admit(nil) == nil)
        guard case .cannotConnect(let why)? = record.admit(server("a:5432", 1)) else {
            Issue.record("The old primary was let in.")
            return
        }
        #expect(why.hasPrefix("a:5432 is an old primary: it takes writes on timeline 1, and this"))
        #expect(why.contains("b:5432 on timeline 2"))
        #expect(why.contains("pg_rewind"))
        #expect(heard.value == ["b:5432"])
    }

    @Test func `is not to be stopped where it has the same name as the older one`() {
        let record = record()
        #expect(record.admit(server("a:5432", 2, startedAt: "x")) == nil)
        guard case .cannotConnect(let why)? = record.admit(server("a:5432", 1)) else {
            Issue.record("The older server was let in.")
            return
        }
        #expect(why.contains("restart this program"))
        #expect(!why.contains("stop a:5432"))
    }

    @Test func `is asked of a host again that answered a look`() {
        let record = record()
        record.noteReached("a:5432")
        record.noteLook(at: "a:5432", isAnswered: false)
        record.noteLook(at: "b:5432", isAnswered: false)
        #expect(!record.isSilent("a:5432"))
        #expect(record.isSilent("b:5432"))
        record.noteLook(at: "b:5432", isAnswered: true)
        #expect(!record.isSilent("b:5432"))
    }

    @Test func `is forgotten once there is one host alone`() {
        let record = record()
        record.noteWritable([server("b:5432", 2), server("a:5432", 1)])
        record.forgetWritable()
        #expect(record.current.writable == nil)
    }

    @Test func `says nothing of another cluster`() {
        let record = record()
        #expect(record.admit(server("a:5432", 5)) == nil)
        #expect(record.admit(server("a:5432", 1, cluster: "8")) == nil)
        #expect(heard.value.isEmpty)
    }

    @Test func `is reported once where several take writes`() {
        let record = record()
        let both = [server("b:5432", 2), server("a:5432", 1)]
        #expect(record.current.writable == nil)
        record.noteWritable([both[1]])
        record.noteWritable(both)
        record.noteWritable(both)
        #expect(diagnostics.value == [.severalWritable(both)])
        #expect(record.current.writable == both)
        #expect(heard.value == ["b:5432"])
        record.noteWritable([both[0]])
        record.noteWritable(both)
        #expect(diagnostics.value.count == 2)
    }

    @Test func `is to be found out at first and after a loss`() {
        let record = record()
        #expect(record.mustChoose)
        record.noteReached("a:5432")
        #expect(!record.mustChoose)
        record.noteLost("a:5432", "reset")
        #expect(record.mustChoose)
    }

    @Test func `comes first, and a server with two names counts once`() {
        let (old, new) = (server("a", 1), server("b", 2))
        #expect(Dial.newestFirst([old, new]) == [new, old])
        #expect(Dial.newestFirst([new, old]) == [new, old])
        #expect(Dial.newestFirst([server("a", 2, startedAt: "b"), new]).map(\.name) == ["a"])
        #expect(Dial.newestFirst([server("a", 2), new]).map(\.name) == ["a", "b"])
        #expect(Dial.newestFirst([server("c", 9, cluster: "8"), old]).map(\.name) == ["c", "a"])
        #expect(Dial.newestFirst([]).isEmpty)
    }

    @Test func `is known of each session, and asked of no other host where there is one`()
        async throws
    {
        let record = ConnectionRecord()
        let url = try await TestDatabase.make().url
        let connection = try await Connection.open(
            ConnectionConfiguration(url: url), loop: TestDatabase.loop, record: record)
        let found = try #require(connection.writable)
        #expect(found.name == connection.server && found.timeline >= 1)
        #expect(record.current.writable == nil)
        await connection.close()
    }

    /// As where a database lets nobody ask for its cluster.
    @Test func `is not needed for a session`() async throws {
        let database = try await TestDatabase.make()
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                CREATE SCHEMA shadow;
                CREATE FUNCTION shadow.pg_control_system(OUT system_identifier int8)
                LANGUAGE plpgsql AS 'BEGIN RAISE insufficient_privilege; END'
                """)
        }
        let url = database.url + "&options=-csearch_path%3Dshadow,pg_catalog"
        let connection = try await Connection.open(
            ConnectionConfiguration(url: url), loop: TestDatabase.loop)
        #expect(connection.writable == nil)
        #expect(connection.backendPID > 0)
        #expect(try await connection.query("SELECT 1::int8").first?.get(0) == Int64(1))
        await connection.close()
    }
}
