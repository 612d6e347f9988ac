import Domain
import EventStore
import TestSupport
import Testing

struct TenantStoreTests {
    @Test func `many that ensure one tenant at once get the same`() async throws {
        let store = try await TestDatabase.make().store
        let tenants = try await withThrowingTaskGroup(of: Tenant.self) { group in
            for _ in 0..<10 { group.addTask { try await store.tenants.ensure("acme") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tenants.count == 1)
        #expect(try await store.tenants.all() == Array(tenants))
    }

    @Test func `a tenant that is made again was made at another time`() async throws {
        let store = try await TestDatabase.make().store
        let first = try await store.tenants.ensure("acme")
        let createdAt = try #require(try await store.tenants.createdAt(first.id))
        #expect(try await store.tenants.createdAt(first.id) == createdAt)
        while try await store.retention.remove(first.id) > 0 {}
        #expect(try await store.tenants.createdAt(first.id) == nil)
        let second = try await store.tenants.ensure("acme")
        let later = try #require(try await store.tenants.createdAt(second.id))
        #expect(second.id != first.id && later > createdAt)
    }

    @Test func `a key grants its tenant and scopes, another key nothing`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme")
        let hash = [UInt8](repeating: 1, count: 32)
        try await store.tenants.addKey(tenant.id, hash, [.eventsWrite, .activitiesRead])
        let grant = try await store.tenants.grant(hash)
        #expect(
            grant == KeyGrant(keyID: 1, tenant: tenant, scopes: [.eventsWrite, .activitiesRead]))
        #expect(try await store.tenants.grant([UInt8](repeating: 2, count: 32)) == nil)
    }

    @Test func `a database without tables says that it must be migrated`() async throws {
        let empty = try await TestDatabase.makeEmpty()
        let error = await #expect(throws: EventStoreError.self) {
            try await empty.store.tenants.all()
        }
        guard case .schema(let detail)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(detail.contains("migrate"))
    }

    @Test func `an empty name is refused by the constraint, by name`() async throws {
        let store = try await TestDatabase.make().store
        let error = await #expect(throws: EventStoreError.self) {
            try await store.tenants.ensure("")
        }
        #expect("\(String(describing: error))".contains("tenant_name_has_length"))
    }
}
