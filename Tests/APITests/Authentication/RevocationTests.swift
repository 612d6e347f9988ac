import Domain
import EventStore
import HTTP
import Postgres
import PostgresStore
import TLS
import TestSupport
import Testing

@testable import API

/// A node that would remember a key for ever, and another process on the same database.
private struct Node {
    let database: TestDatabase
    let other: EventStore
    let handler: Handler
    let keyID: Int64

    static func make() async throws -> Node {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("kitchen").id
        let keyID = try #require(
            try await database.store.tenants.createKey(
                NewAPIKey(
                    tenant: tenant, sha256: SHA256.hash(Array("key".utf8)),
                    scopes: [.activitiesRead])))
        var limits = APILimits.standard
        limits.keyCacheSeconds = 1_000_000
        limits.streamPollSeconds = 0.1
        let handler = API.service(
            store: database.store,
            environment: APIEnvironment(
                now: { Moment(unixSeconds: 1_800_000_000) }, version: "test", limits: limits)
        ).handler
        let node = Node(
            database: database, other: .postgres(pool: database.makePool()), handler: handler,
            keyID: keyID)
        try await node.rememberKey()
        return node
    }

    func call(_ target: String = "/v1/activities") async -> Response {
        await handler(
            Request(method: "GET", target: target, headers: ["authorization": "Bearer key"]))
    }

    /// Until a revocation that is not announced goes unnoticed.
    private func rememberKey() async throws {
        while true {
            #expect(await call().status == 200)
            try await secretly("revoked_at = now()")
            if await call().status == 200 { return }
            _ = try await database.pool.query("UPDATE api_key SET revoked_at = NULL")
            while await call().status != 200 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Changes keys without a word, as no program or person would by accident.
    private func secretly(_ change: String) async throws {
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                BEGIN; ALTER TABLE api_key DISABLE TRIGGER api_key_change_is_announced;
                UPDATE api_key SET \(change);
                ALTER TABLE api_key ENABLE TRIGGER api_key_change_is_announced; COMMIT
                """)
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `A node that remembers a key` {
    @Test func `refuses it as soon as another process revokes it`() async throws {
        let node = try await Node.make()
        #expect(await node.call().status == 200)
        #expect(try await node.other.tenants.revokeKey(node.keyID) != nil)
        while await node.call().status != 401 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `asks again when its listening connection breaks`() async throws {
        let node = try await Node.make()
        #expect(await node.call().status == 200)
        _ = try await node.database.pool.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE 'LISTEN%' AND datname = current_database()
            """)
        while await node.call().status != 401 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `ends the streams that it opened`() async throws {
        let node = try await Node.make()
        guard case .stream(let chunks) = await node.call("/v1/stream").body else {
            Issue.record("not a stream")
            return
        }
        var iterator = chunks.makeAsyncIterator()
        var text = ""
        while !text.contains("event: ready"), let chunk = await iterator.next() {
            text += String(decoding: chunk, as: UTF8.self)
        }
        #expect(try await node.other.tenants.revokeKey(node.keyID) != nil)
        while let chunk = await iterator.next() { #expect(chunk == ServerSentEvent.heartbeat) }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A reader that waits while its tenant is removed` {
    /// Both wait until something comes.
    @Test(arguments: ["/v1/events?after=1&wait=25", "/v1/activities?wait=1"])
    func `hears of its key, and nothing of a log that is no more`(target: String) async throws {
        var limits = APILimits.standard
        (limits.streamPollSeconds, limits.keyCacheSeconds) = (0.02, 0)
        let api = await Harness(limits: limits)
        _ = try await api.post(SampleEvents.placed("o-1"))
        let lookups = await api.fake.grantLookups
        let waiting = Task { try await api.get(target) }
        try await waitUntil { await api.fake.grantLookups > lookups }
        await api.revoke("all")
        await api.fake.dropLog(of: Harness.mine)
        try await waiting.value.expectProblem(.invalidKey)
    }
}
