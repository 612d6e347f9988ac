import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `Somebody who signed in` {
    private let database: TestDatabase
    private let tenant: TenantID
    private let key: Int64

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("shop").id
        key = try #require(
            try await database.store.tenants.createKey(
                NewAPIKey(
                    tenant: tenant, sha256: Self.hash(255), scopes: [.admin], label: "desk")))
    }

    private static func hash(_ byte: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: byte), count: 31) + [UInt8(byte / 256)]
    }

    private func open(_ byte: Int, for seconds: Double = 600, of key: Int64? = nil) async throws {
        try await database.store.signIns.open(
            tenant, key ?? self.key, Self.hash(byte), Moment.timeOfDay.adding(seconds: seconds))
    }

    private func grant(_ byte: Int) async throws -> KeyGrant? {
        try await database.store.tenants.grant(Self.hash(byte))
    }

    @Test func `opens what the key opens, and no longer than it was opened for`() async throws {
        try await open(1)
        let grant = try #require(try await grant(1))
        #expect(grant.keyID == key && grant.tenant.id == tenant && grant.scopes == [.admin])
        #expect(grant.isSignIn)
        #expect(try await self.grant(255)?.isSignIn == false)
        let ends = try #require(grant.expiresAt)
        #expect(abs(ends.seconds(since: .timeOfDay) - 600) < 60)
    }

    @Test func `ends when they sign out, and nobody else with them`() async throws {
        try await open(1)
        try await open(2)
        let other = try await database.store.tenants.ensure("other").id
        try await database.store.signIns.end(other, Self.hash(1))
        #expect(try await grant(1) != nil)
        try await database.store.signIns.end(tenant, Self.hash(1))
        #expect(try await grant(1) == nil)
        #expect(try await grant(2) != nil)
    }

    @Test func `ends with all others of the key, and not those of another key`() async throws {
        let second = try #require(
            try await database.store.tenants.createKey(
                NewAPIKey(tenant: tenant, sha256: Self.hash(254), scopes: [.admin])))
        try await open(1)
        try await open(2)
        try await open(3, of: second)
        try await database.store.signIns.endAll(tenant, key)
        #expect(try await grant(1) == nil)
        #expect(try await grant(2) == nil)
        #expect(try await grant(3)?.keyID == second)
    }

    @Test func `ends with the key`() async throws {
        try await open(1)
        _ = try await database.store.tenants.revokeKey(key)
        #expect(try await grant(1)?.revokedAt != nil)
    }

    @Test func `makes room: the oldest of too many end, and those that are over go`()
        async throws
    {
        for number in 1..<Limits.signInsPerKeyMax { try await open(number) }
        // The newest, and over: it goes before any that is older.
        try await open(0, for: -1)
        try await open(Limits.signInsPerKeyMax)
        #expect(try await grant(0) == nil)
        #expect(try await grant(1) != nil)
        try await open(Limits.signInsPerKeyMax + 1)
        #expect(try await grant(1) == nil)
        #expect(try await grant(2) != nil)
        let count: Int64 = try await database.pool.query("SELECT count(*) FROM sign_in")[0].get(0)
        #expect(count == Int64(Limits.signInsPerKeyMax))
    }

    @Test func `makes room for each of those who sign in at once`() async throws {
        for number in 1...Limits.signInsPerKeyMax { try await open(number) }
        // Several times, since a race does not come up each time.
        for round in 0..<10 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        try await open(Limits.signInsPerKeyMax + 8 * round + number)
                    }
                }
                try await group.waitForAll()
            }
        }
        let count: Int64 = try await database.pool.query("SELECT count(*) FROM sign_in")[0].get(0)
        #expect(count == Int64(Limits.signInsPerKeyMax))
    }

    @Test func `goes with a key that is over, though they never sign out`() async throws {
        let kept = try #require(
            try await database.store.tenants.createKey(
                NewAPIKey(tenant: tenant, sha256: Self.hash(254), scopes: [.admin])))
        try await open(1)
        try await open(2, of: kept)
        _ = try await database.store.tenants.revokeKey(key)
        let later = Moment.timeOfDay.adding(seconds: 60)
        #expect(try await database.store.retention.sweep(.keys, before: later) == 1)
        #expect(try await grant(1) == nil)
        #expect(try await grant(2)?.keyID == kept)
    }
}
