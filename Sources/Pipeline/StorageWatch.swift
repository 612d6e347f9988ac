public import Domain
public import EventStore
import Locks

/// Knows what each tenant's log takes up, from a look every few seconds.
public final class StorageWatch: Sendable {
    private let store: EventStore
    private let found = Lock([TenantID: TenantUsage]())
    private let report: @Sendable (EventStoreError) -> Void

    /// - Parameter report: called with each failure; the watch carries on by itself.
    public init(store: EventStore, report: @escaping @Sendable (EventStoreError) -> Void) {
        self.store = store
        self.report = report
    }

    /// As of the last look; nil before the first.
    public func usage(of tenant: TenantID) -> TenantUsage? { found.withLock { $0[tenant] } }

    /// Looks until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(Limits.storageLookSeconds))
        }
    }

    public func look() async {
        do throws(EventStoreError) {
            let looked = try await store.tenants.usage(true)
            found.withLock { $0 = looked }
        } catch {
            if !Task.isCancelled { report(error) }
        }
    }
}
