import Domain
public import EventStore
import Explaining

extension History {
    /// A tenant's log in a database.
    public init(_ store: EventStore, of tenant: Tenant) {
        let id = tenant.id
        self.init(
            tenant: tenant.name,
            end: { () async throws(ReplayError) in try await asked(try await store.log.head(id)) },
            page: { (positions) async throws(ReplayError) in
                try await asked(try HistoryPage(try await store.replays.page(id, positions)))
            },
            stream: { (activity, version, limit) async throws(ReplayError) in
                try await asked(try await store.log.readActivity(id, activity, version, limit))
            },
            policies: { () async throws(ReplayError) in
                try await asked(try await store.policies.all(id))
            },
            neighbours: { (activity) async throws(ReplayError) in
                try await asked(try await store.replays.neighbours(id, activity, Limits.neighbours))
            },
            ledger: Ledger(store, of: id))
        readsAtOnceMax = Limits.readsAtOnceMax
        erased = { () async throws(ReplayError) in
            do throws(EventStoreError) { return try await store.erasure.erasedCount(id) } catch {
                throw .store(error)
            }
        }
        archived = { () async throws(ReplayError) in
            do throws(EventStoreError) {
                let archives = try await store.retention.archives(id)
                return Archived(
                    through: archives.last?.through ?? 0,
                    dropped: try await store.retention.dropped(id),
                    places: archives.map(\.place))
            } catch { throw .store(error) }
        }
    }
}

extension History.Ledger {
    fileprivate init(_ store: EventStore, of tenant: TenantID) {
        self.init(
            checkpoint: { () async throws(ReplayError) in
                try await asked(try await store.projections.checkpoint(tenant))
            },
            parked: { () async throws(ReplayError) in
                do throws(EventStoreError) {
                    let rows = try await store.upkeep.allParked(tenant)
                    return Dictionary(
                        rows.map { ($0.event.position, $0.isSkipped) }, uniquingKeysWith: { $1 })
                } catch { throw .store(error) }
            },
            rows: { (activity, version, limit) async throws(ReplayError) in
                try await asked(
                    try await store.projections.decisions(tenant, activity, version, limit))
            },
            page: { (parts) async throws(ReplayError) in
                try await asked(try await store.replays.ledger(tenant, parts))
            },
            census: { () async throws(ReplayError) in
                try await asked(try await store.replays.census(tenant))
            },
            snapshotCount: { (position) async throws(ReplayError) in
                try await asked(try await store.replays.snapshotCount(tenant, position))
            },
            snapshots: { (activities) async throws(ReplayError) in
                try await asked(try await store.replays.snapshots(tenant, activities))
            },
            strays: { (kind, position, limit) async throws(ReplayError) in
                try await asked(try await store.replays.strays(tenant, kind, position, limit))
            },
            phones: { (activity) async throws(ReplayError) in
                try await Self.phones(store, tenant, activity)
            },
            behind: { (activity) async throws(ReplayError) in
                try await asked(try await store.registrations.behind(tenant, activity))
            },
            explain: { (activity, version) async throws(ReplayError) in
                try await asked(
                    try await Explainer.explain(
                        version, of: StoredActivity(store, tenant, activity)))
            })
    }

    private static func phones(
        _ store: EventStore, _ tenant: TenantID, _ activity: ActivityID
    ) async throws(ReplayError) -> [PhoneRow] {
        var rows: [PhoneRow] = []
        while true {
            do throws(EventStoreError) {
                let page = try await store.replays.phones(
                    tenant, activity, rows.last?.id ?? 0, Limits.pageEvents)
                rows += page
                if page.count < Limits.pageEvents { return rows }
            } catch { throw .store(error) }
        }
    }
}
