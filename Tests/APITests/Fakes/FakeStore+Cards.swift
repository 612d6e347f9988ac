import Domain
import EventStore

extension FakeStore {
    nonisolated var registrationStore: any RegistrationStore { FakeRegistrationStore(fake: self) }

    nonisolated var ticketStore: any TicketStore { FakeTicketStore(fake: self) }
}

struct FakeRegistrationStore: RegistrationStore {
    let fake: FakeStore

    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        try await fake.change(FakeStore.Key(tenant: tenant, activity: activity), request, rules)
    }

    func count(_: TenantID, _: ActivityID) async throws(EventStoreError) -> Int { 0 }

    func tally(_: TenantID, _: ActivityID, _: Moment?) async throws(EventStoreError) -> CardTally {
        CardTally(closed: [.dismissed: 1])
    }

    func behind(_: TenantID, _: ActivityID) async throws(EventStoreError) -> PhonesBehind {
        await fake.behind
    }
}

struct FakeTicketStore: TicketStore {
    let fake: FakeStore

    func standing(of tenant: TenantID) async throws(EventStoreError) -> TicketStanding {
        if let cell = await fake.departedTenants[tenant] { return .departed(to: cell) }
        return .here(try await fake.ring(tenant))
    }

    func ensure(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    { try await fake.addSecret(tenant, fresh) }

    func rotate(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    { try await fake.addSecret(tenant, fresh) }
}
