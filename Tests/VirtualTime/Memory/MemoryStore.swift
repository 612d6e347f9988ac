import Domain
import EventStore
import TestSupport

extension EventStore {
    static func memory(_ session: MemorySession) -> EventStore {
        EventStore(
            tenants: MemoryTenantStore(session: session), log: MemoryEventLog(session: session),
            policies: MemoryPolicyStore(session: session),
            projections: MemoryProjectionStore(session: session), reads: MemoryReadStore(),
            rebuilds: NoRebuilds(), replays: NoReplays(), upkeep: NoUpkeep(),
            clock: MemoryClockStore(session: session),
            registrations: MemoryRegistrationStore(session: session), tickets: MemoryTicketStore(),
            deliveries: MemoryDeliveryStore(session: session),
            startTokens: MemoryStartTokenStore(session: session),
            startDeliveries: MemoryStartDeliveryStore(session: session),
            channels: MemoryChannelStore(session: session), apps: NoApps(),
            webhooks: NoWebhooks(), deadLetters: NoDeadLetters(),
            board: MemoryBoardStore(session: session), audit: NoAudit(), signIns: NoSignIns(),
            series: NoSeries(), operators: NoOperators(),
            identity: NeverRestored(), retention: NoRetention(),
            erasure: NoErasure(),
            listen: { _ in AsyncStream { $0.finish() } })
    }
}

struct MemoryTenantStore: TenantStore {
    let session: MemorySession

    func usage(_: Bool) -> [TenantID: TenantUsage] { [:] }

    func ensure(_ name: String) async throws(EventStoreError) -> Tenant {
        try await session.statement { (tables, now) in
            tables.ensureTenant(name, at: now)
        }
    }

    func all() async throws(EventStoreError) -> [Tenant] {
        try await session.statement { (tables, _) in tables.tenants.map(\.tenant) }
    }

    func createdAt(_: TenantID) -> Moment? { nil }

    func cells() -> [Cell] { [] }

    func setCell(_: Cell) throws(EventStoreError) { throw .notInMemory }

    func moves() -> [MovingTenant] { [] }

    func createKey(_: NewAPIKey) throws(EventStoreError) -> Int64? { throw .notInMemory }

    func keys(_: TenantID?, _: Int64, _: Int) throws(EventStoreError) -> [APIKeyRecord] {
        throw .notInMemory
    }

    func revokeKey(_: Int64, of _: TenantID?) throws(EventStoreError) -> APIKeyRecord? {
        throw .notInMemory
    }

    func lookUp(key _: [UInt8]) throws(EventStoreError) -> KeyLookup? { throw .notInMemory }

    func limits(_: TenantID) throws(EventStoreError) -> TenantLimits { throw .notInMemory }

    func setLimits(_: TenantID, _: TenantLimits) throws(EventStoreError) { throw .notInMemory }
}

private struct MemoryReadStore: ReadStore {
    func activity(_: TenantID, _: ActivityID, _: String?) throws(EventStoreError)
        -> ActivityReading
    { throw .notInMemory }

    func list(_: TenantID, _: ActivityFilter, _: ActivityPage.Place?, _: Int, _: Moment)
        throws(EventStoreError) -> ActivityPage
    { throw .notInMemory }

    func scoreboard(_: TenantID, _: String?, _: ScoreboardPage.Place?, _: Int)
        throws(EventStoreError) -> ScoreboardPage
    { throw .notInMemory }

    func overview(_: TenantID, _: Moment, _: Moment) throws(EventStoreError) -> Overview {
        throw .notInMemory
    }

    func freshness(_: TenantID) throws(EventStoreError) -> Freshness { throw .notInMemory }
}

private struct MemoryTicketStore: TicketStore {
    func lookUp(ticketsOf _: TenantID) throws(EventStoreError) -> TicketLookup {
        throw .notInMemory
    }

    func ensure(_: TenantID, _: [UInt8]) throws(EventStoreError) -> TicketSecret {
        throw .notInMemory
    }

    func rotate(_: TenantID, _: [UInt8]) throws(EventStoreError) -> TicketSecret {
        throw .notInMemory
    }
}
