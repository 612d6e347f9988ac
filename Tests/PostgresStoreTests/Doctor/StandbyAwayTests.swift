import Domain
import EventLoop
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import TestSupport
import Testing

/// What a node and the doctor say while a primary waits for a standby that is away.
struct `A synchronous standby that is away` {
    @Test func `makes a node unready without anybody appending, and the doctor names it`()
        async throws
    {
        let (pool, store, standby) = try await Self.primary()
        defer { try? standby.kill() }
        let health = StoreHealth()
        let watch = HealthWatch(store: store, health: health, calls: [.append]) { _ in }
        try await waitUntil("the standby is there") {
            await watch.look()
            return !health.history(of: .append).isInDoubt && !health.isStandbyAway
        }
        #expect(try await Self.findings(pool).isEmpty)
        let key = [UInt8](repeating: 7, count: 32)
        let tenant = try await store.tenants.ensure("acme")
        try await store.tenants.addKey(tenant.id, key, [.admin])

        try standby.kill()
        // That a key was used is noted, and nobody waits until a standby has that.
        let began = ContinuousClock.now
        #expect(try await store.tenants.grant(key)?.tenant == tenant)
        #expect(.now - began < .seconds(1))
        // As the first append would find it.
        await #expect(throws: EventStoreError.self) { try await store.probe.append() }
        let error = await #expect(throws: EventStoreError.self) { try await store.probe.append() }
        #expect(error?.isStandbyAway == true)
        health.ended(.append, error)
        #expect(health.isStandbyAway)
        try await waitUntil("the node is unready") {
            await watch.look()
            return health.complaint(about: .append)?.isStandbyAway == true
        }
        let unsent = try await Self.look(pool, "unsent changes")
        #expect(unsent == .unseen("not while commits wait for a standby"))
        let findings = try await Self.findings(pool)
        #expect(findings.count == 1, "\(findings)")
        #expect(findings.first?.what.contains("commits wait for 1") == true, "\(findings)")

        try standby.start()
        try await waitUntil("the node is ready again") {
            await watch.look()
            return health.complaint(about: .append) == nil && !health.isStandbyAway
        }
        #expect(try await Self.findings(pool).isEmpty)
        await pool.close()
    }

    @Test func `is noticed by a node that has nothing to do but to leave signs of life`()
        async throws
    {
        let (pool, store, standby) = try await Self.primary()
        defer { try? standby.kill() }
        try await waitUntil("the standby is there") {
            (try? await store.probe.append()) != nil
        }
        let isNoticed = Lock(false)
        let watch = IdentityWatch(store: store, memory: LogMemory()) { diagnostic in
            guard case .unconfirmed(let error) = diagnostic, error.isStandbyAway else { return }
            isNoticed.withLock { $0 = true }
        }
        let status = try await watch.status()
        let watching = Task { await watch.wait(whileLogIs: status) }
        try standby.kill()
        try await waitUntil("it is noticed") { isNoticed.withLock { $0 } }
        watching.cancel()
        await watching.value
        await pool.close()
    }

    /// That commits only when its standby has confirmed.
    private static func primary() async throws -> (Pool, EventStore, CopiedServer) {
        let directory = TestServer.temporaryDirectory()
        let primary = try await PrivatePostgres.start(
            dataDirectory: directory, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        let pool = TestDatabase.pool(primary.url)
        _ = try await EventStore.migrator.migrate(pool)
        let standby = try CopiedServer.standby(of: primary, in: directory + "-standby")
        try await pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script("ALTER SYSTEM SET synchronous_standby_names = '*'")
            try await connection.script("SELECT pg_reload_conf()")
        }
        return (pool, .postgres(pool: pool), standby)
    }

    private static func findings(_ pool: Pool) async throws -> [Finding] {
        let answer = try await look(pool, "synchronous standbys")
        guard case .findings(let findings) = answer else { return [] }
        return findings
    }

    private static func look(
        _ pool: Pool, _ check: String
    ) async throws -> DoctorCheck.Answer {
        let scene = DoctorScene(
            pool: pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { Moment(unixSeconds: Int64(Date().timeIntervalSince1970)) })
        let reports = await DatabaseChecks.look(at: scene)
        return try #require(reports.first { $0.name == check }).answer
    }
}
