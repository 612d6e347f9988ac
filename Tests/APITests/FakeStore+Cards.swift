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
}

struct FakeTicketStore: TicketStore {
    let fake: FakeStore

    func secrets(_ tenant: TenantID) async throws(EventStoreError) -> [TicketSecret] {
        try await fake.secrets(tenant)
    }

    func keys(_ tenant: TenantID) async throws(EventStoreError) -> TicketKeys {
        try await fake.livingKeys(tenant)
    }

    func ensure(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    { try await fake.addSecret(tenant, fresh) }

    func rotate(_ tenant: TenantID, _ fresh: [UInt8]) async throws(EventStoreError) -> TicketSecret
    { try await fake.addSecret(tenant, fresh) }
}
