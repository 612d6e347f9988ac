import Domain
import EventStore

extension EventStore {
    static func memory(_ session: MemorySession) -> EventStore {
        EventStore(
            tenants: .memory(session), log: .memory(session), policies: .memory(session),
            projections: .memory(session), reads: .notInMemory, rebuilds: .notInMemory,
            upkeep: .none, clock: .memory(session), registrations: .memory(session),
            tickets: .notInMemory, deliveries: .memory(session), starts: .memory(session),
            starting: .memory(session), channels: .memory(session), apps: .notInMemory,
            listen: { _ in AsyncStream { $0.finish() } })
    }
}

extension TenantStore {
    fileprivate static func memory(_ session: MemorySession) -> TenantStore {
        TenantStore(
            ensure: { (name) async throws(EventStoreError) in
                try await session.statement { (tables, now) in
                    tables.ensureTenant(name, at: now)
                }
            },
            all: { () async throws(EventStoreError) in
                try await session.statement { (tables, _) in tables.tenants.map(\.tenant) }
            },
            createKey: { (_) async throws(EventStoreError) in throw .notInMemory },
            keys: { (_) async throws(EventStoreError) in throw .notInMemory },
            revokeKey: { (_) async throws(EventStoreError) in throw .notInMemory },
            grant: { (_) async throws(EventStoreError) in throw .notInMemory },
            limits: { (_) async throws(EventStoreError) in throw .notInMemory },
            setLimits: { (_, _) async throws(EventStoreError) in throw .notInMemory })
    }
}

extension ReadStore {
    fileprivate static let notInMemory = ReadStore(
        activity: { (_, _, _) async throws(EventStoreError) in throw .notInMemory },
        list: { (_, _, _, _, _) async throws(EventStoreError) in throw .notInMemory },
        scoreboard: { (_, _, _) async throws(EventStoreError) in throw .notInMemory },
        overview: { (_, _, _) async throws(EventStoreError) in throw .notInMemory },
        progress: { (_) async throws(EventStoreError) in throw .notInMemory })
}

extension RebuildStore {
    fileprivate static let notInMemory = RebuildStore(
        begin: { (_, _, _) async throws(EventStoreError) in throw .notInMemory },
        list: { () async throws(EventStoreError) in [] },
        setPaused: { (_, _) async throws(EventStoreError) in false },
        cancel: { (_) async throws(EventStoreError) in false },
        take: { (_, _) async throws(EventStoreError) in nil },
        outdated: { (_) async throws(EventStoreError) in [] })
}

extension TicketStore {
    fileprivate static let notInMemory = TicketStore(
        secrets: { (_) async throws(EventStoreError) in throw .notInMemory },
        keys: { (_) async throws(EventStoreError) in throw .notInMemory },
        ensure: { (_, _) async throws(EventStoreError) in throw .notInMemory },
        rotate: { (_, _) async throws(EventStoreError) in throw .notInMemory })
}

extension AppStore {
    /// Every app has a key, and nothing keeps its pushes back.
    fileprivate static let notInMemory = AppStore(
        keys: { () async throws(EventStoreError) in [] },
        add: { (_, _) async throws(EventStoreError) in throw .notInMemory },
        remove: { (_, _, _) async throws(EventStoreError) in throw .notInMemory },
        reseal: { (_, _, _) async throws(EventStoreError) in throw .notInMemory },
        alarms: { () async throws(EventStoreError) in [] },
        raise: { (_) async throws(EventStoreError) in throw .notInMemory },
        clear: { (_) async throws(EventStoreError) in throw .notInMemory },
        held: { () async throws(EventStoreError) in [] },
        heldBy: { (_, _) async throws(EventStoreError) in [] },
        release: { (_) async throws(EventStoreError) in throw .notInMemory })
}
