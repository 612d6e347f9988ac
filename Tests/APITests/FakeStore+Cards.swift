import Domain
import EventStore

extension FakeStore {
    nonisolated var registrationStore: RegistrationStore {
        RegistrationStore(
            change: { tenant, activity, request, rules async throws(EventStoreError) in
                try await self.change(Key(tenant: tenant, activity: activity), request, rules)
            }, count: { _, _ in 0 },
            tally: { _, _, _ in CardTally(closed: [.dismissed: 1]) },
            behind: { _, _ in await self.behind })
    }

    nonisolated var ticketStore: TicketStore {
        TicketStore(
            secrets: { tenant async throws(EventStoreError) in try await self.secrets(tenant) },
            keys: { tenant async throws(EventStoreError) in try await self.livingKeys(tenant) },
            ensure: { tenant, fresh async throws(EventStoreError) in
                try await self.addSecret(tenant, fresh)
            },
            rotate: { tenant, fresh async throws(EventStoreError) in
                try await self.addSecret(tenant, fresh)
            })
    }
}
