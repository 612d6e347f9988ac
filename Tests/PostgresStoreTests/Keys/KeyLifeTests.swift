import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `An API key` {
    private static let hash = [UInt8](repeating: 7, count: 32)

    @Test func `is listed with its life, and its use is noted coarsely`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme")
        let other = try await store.tenants.ensure("other")
        let end = Moment(unixSeconds: 4_000_000_000)
        let id = try #require(
            try await store.tenants.createKey(
                NewAPIKey(
                    tenant: tenant.id, sha256: Self.hash, scopes: [.admin], label: "till 5",
                    expiresAt: end)))
        try await store.tenants.addKey(other.id, [UInt8](repeating: 8, count: 32), [.admin])
        let fresh = try #require(try await store.tenants.keys(tenant.id).first)
        #expect(fresh.id == id)
        #expect(fresh.tenant == tenant)
        #expect(fresh.label == "till 5")
        #expect(fresh.expiresAt == end)
        #expect(fresh.lastUsedAt == nil && fresh.revokedAt == nil)
        #expect(try await store.tenants.grant(Self.hash)?.expiresAt == end)
        let used = try await store.tenants.keys(tenant.id).first?.lastUsedAt
        #expect(used != nil)
        _ = try await store.tenants.grant(Self.hash)
        #expect(try await store.tenants.keys(tenant.id).first?.lastUsedAt == used)
        _ = try await database.pool.query(
            "UPDATE api_key SET last_used_at = last_used_at - interval '61 minutes'")
        _ = try await store.tenants.grant(Self.hash)
        let later = try await store.tenants.keys(tenant.id).first?.lastUsedAt
        #expect(try #require(later) > #require(used))
        #expect(try await store.tenants.keys(nil).map(\.tenant.name) == ["acme", "other"])
    }

    @Test func `is one of so many in force, and of any number that have ended`() async throws {
        let database = try await TestDatabase.make()
        let tenants = database.store.tenants
        let tenant = try await tenants.ensure("acme").id
        func make(_ byte: UInt8, for tenant: TenantID) async throws -> Int64? {
            let hash = [UInt8](repeating: byte, count: 32)
            return try await tenants.createKey(
                NewAPIKey(tenant: tenant, sha256: hash, scopes: [.admin]))
        }
        let first = try #require(try await make(1, for: tenant))
        try await fill(database, tenant, "NULL, NULL", 1...Limits.keysPerTenantMax - 1)
        try await fill(database, tenant, "now() - interval '1 s', NULL", 2_001...3_000)
        try await fill(database, tenant, "NULL, now()", 3_001...4_000)
        #expect(try await make(2, for: tenant) == nil)
        #expect(try await make(2, for: tenants.ensure("other").id) != nil)
        _ = try await tenants.revokeKey(first)
        #expect(try await make(3, for: tenant) != nil)
        #expect(try await make(4, for: tenant) == nil)
        #expect(try await tenants.keys(tenant).count == Limits.keysPerTenantMax + 2_001)
        #expect(try await tenants.keys(tenant, first, 10).count == 10)
    }

    /// Keys by whose numbers their hashes are made, without what triggers note of each.
    /// - Parameter end: when they expire, and when they were revoked.
    private func fill(
        _ database: TestDatabase, _ tenant: TenantID, _ end: String, _ numbers: ClosedRange<Int>
    ) async throws {
        try await database.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                BEGIN;
                SET LOCAL session_replication_role = replica;
                INSERT INTO api_key (tenant, sha256, scopes, expires_at, revoked_at)
                SELECT \(tenant.rawValue), sha256(n::text::bytea), '{admin}', \(end)
                FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) n;
                COMMIT
                """)
        }
    }

    /// However many another one has, or has had.
    @Test(arguments: [
        (PostgresTenantStore.keysOfTenant, "0, 51, 1", "api_key_of_tenant"),
        (
            PostgresTenantStore.insertKey,
            "1, '\\x00', '{admin}', NULL, NULL, 1000", "api_key_in_force"
        ),
    ])
    func `is found by its tenant`(
        _ sql: String, _ arguments: String, _ index: String
    ) async throws {
        let database = try await TestDatabase.make()
        let tenants = database.store.tenants
        let (mine, theirs) = (try await tenants.ensure("acme").id, try await tenants.ensure("x").id)
        try await fill(database, mine, "NULL, NULL", 1...10)
        try await fill(database, theirs, "now() - interval '1 s', NULL", 11...5_000)
        let session = try await database.pool.openDedicated()
        try await session.script(
            "ANALYZE api_key; SET plan_cache_mode = force_generic_plan; PREPARE asked AS \(sql)")
        let rows = try await session.query("EXPLAIN EXECUTE asked (\(arguments))")
        await session.close()
        let plan = try rows.map { try $0.get(0, as: String.self) }.joined(separator: "\n")
        #expect(plan.contains(index), "\(plan)")
        #expect(!plan.contains("Seq Scan on api_key") && !plan.contains("api_key_id_is_unique"))
    }

    @Test func `is let in while its row is locked, which is when its use cannot be noted`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme")
        try await database.store.tenants.addKey(tenant.id, Self.hash, [.admin])
        let grant = try await database.pool.withTransaction {
            (connection) async throws(PostgresError) in
            _ = try await connection.query("SELECT FROM api_key FOR UPDATE")
            return try? await database.store.tenants.grant(Self.hash)
        }
        #expect(grant?.tenant == tenant)
    }

    @Test func `that is revoked stays so, and every node hears of it once`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme")
        let id = try #require(
            try await store.tenants.createKey(
                NewAPIKey(tenant: tenant.id, sha256: Self.hash, scopes: [.admin])))
        let other = EventStore.postgres(pool: database.makePool())
        var notifications = other.notifications().makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        // Nobody hears of a use.
        _ = try await store.tenants.grant(Self.hash)
        let revoked = try await store.tenants.revokeKey(id)
        #expect(revoked?.revokedAt != nil)
        #expect(await notifications.next() == .happened(.keysChanged, tenant.id))
        #expect(try await other.tenants.grant(Self.hash)?.revokedAt == revoked?.revokedAt)
        #expect(try await store.tenants.revokeKey(id)?.revokedAt == revoked?.revokedAt)
        #expect(try await store.tenants.revokeKey(id + 1) == nil)
        #expect(try await store.tenants.keys(nil).map(\.id) == [id])
    }

    @Test(arguments: [
        "UPDATE api_key SET scopes = '{}'", "UPDATE api_key SET expires_at = now()",
        "DELETE FROM api_key",
    ])
    func `changed by hand is announced too`(sql: String) async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme")
        try await database.store.tenants.addKey(tenant.id, Self.hash, [.admin])
        var notifications = database.store.notifications().makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        _ = try await database.pool.query(sql)
        #expect(await notifications.next() == .happened(.keysChanged, tenant.id))
    }

    @Test func `brings its tenant's limits, and their change is announced`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        try await store.tenants.addKey(tenant, Self.hash, [.admin])
        #expect(try await store.tenants.grant(Self.hash)?.limits == TenantLimits.none)
        #expect(try await store.tenants.limits(tenant) == TenantLimits.none)
        var notifications = store.notifications().makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        for limits in [
            TenantLimits(
                requestsPerSecond: 1, eventsPerSecond: 2, bodyBytesMax: 3, batchEventsMax: 4),
            TenantLimits(eventsPerSecond: 5),
        ] {
            try await store.tenants.setLimits(tenant, limits)
            #expect(await notifications.next() == .happened(.keysChanged, tenant))
            #expect(try await store.tenants.limits(tenant) == limits)
            #expect(try await store.tenants.grant(Self.hash)?.limits == limits)
        }
        await #expect(throws: EventStoreError.self) {
            try await store.tenants.setLimits(tenant, TenantLimits(requestsPerSecond: 0))
        }
    }
}
