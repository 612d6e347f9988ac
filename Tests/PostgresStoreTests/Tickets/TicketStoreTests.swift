import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct `The store of tickets` {
    private let database: TestDatabase
    private let tenant: TenantID

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("shop").id
    }

    private static func bytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func ring(_ tenant: TenantID) async throws -> TicketRing {
        try #require(try await database.store.tickets.ring(of: tenant))
    }

    @Test func `makes one secret, whatever else is offered later`() async throws {
        let tickets = database.store.tickets
        #expect(try await ring(tenant).secrets.isEmpty)
        let first = try await tickets.ensure(tenant, Self.bytes(1))
        #expect(first == TicketSecret(id: 1, bytes: Self.bytes(1)))
        #expect(try await tickets.ensure(tenant, Self.bytes(2)) == first)
        #expect(try await ring(tenant).secrets == [first])
    }

    @Test func `of nodes that sign first at once, all sign with the same`() async throws {
        let tickets = database.store.tickets
        // Of several tenants, since a race does not come up each time.
        for number in 1...10 {
            let tenant = try await database.store.tenants.ensure("shop\(number)").id
            let secrets = try await withThrowingTaskGroup(of: TicketSecret.self) { group in
                for node in 1...8 as ClosedRange<UInt8> {
                    group.addTask { try await tickets.ensure(tenant, Self.bytes(node)) }
                }
                return try await group.reduce(into: Set<TicketSecret>()) { $0.insert($1) }
            }
            #expect(secrets.count == 1)
        }
    }

    @Test func `lets the last two secrets count, and no older one`() async throws {
        let tickets = database.store.tickets
        let other = try await database.store.tenants.ensure("other").id
        let theirs = try await tickets.ensure(other, Self.bytes(9))
        let first = try await tickets.ensure(tenant, Self.bytes(1))
        let second = try await tickets.rotate(tenant, Self.bytes(2))
        #expect(try await ring(tenant).secrets == [first, second])
        let third = try await tickets.rotate(tenant, Self.bytes(3))
        #expect(third == TicketSecret(id: second.id + 1, bytes: Self.bytes(3)))
        #expect(try await ring(tenant).secrets == [second, third])
        #expect(try await tickets.ensure(tenant, Self.bytes(4)) == third)
        #expect(try await ring(other).secrets == [theirs])
    }

    @Test func `gives each tenant its own secrets, keys and limits`() async throws {
        let (tickets, tenants) = (database.store.tickets, database.store.tenants)
        let other = try await tenants.ensure("other").id
        let secret = try await tickets.ensure(other, Self.bytes(9))
        let key = try #require(
            try await tenants.createKey(
                NewAPIKey(tenant: other, sha256: Self.bytes(9), scopes: [.admin])))
        let revoked = try #require(
            try await tenants.createKey(
                NewAPIKey(tenant: other, sha256: Self.bytes(8), scopes: [.admin])))
        _ = try await tenants.revokeKey(revoked)
        let expired = NewAPIKey(
            tenant: other, sha256: Self.bytes(7), scopes: [.admin],
            expiresAt: Moment(unixSeconds: 1_700_000_000))
        let newest = try #require(try await tenants.createKey(expired))
        let theirs = try await ring(other)
        #expect(theirs.secrets == [secret])
        #expect(theirs.livingKeys == [key] && theirs.newestKeyID == newest)
        let ours = try await ring(tenant)
        #expect(ours.secrets.isEmpty && ours.livingKeys.isEmpty && ours.limits == .none)
        #expect(ours.newestKeyID == newest)
    }
}
