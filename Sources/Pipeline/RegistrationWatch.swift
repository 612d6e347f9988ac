public import Domain
public import EventStore
import Locks

/// Knows which tenants keep as many registrations as each may.
///
/// A tenant is counted after the first one that this node lets in, and again when it may have come
/// a part of the way to its bound since. So a count costs nothing beside what it is about, however
/// many there are, and it is right whatever was removed meanwhile.
public final class RegistrationWatch: Sendable {
    private struct Known {
        /// As of the last count; nil before the first.
        var count: Int?
        /// Let in since, whether they were there already or not.
        var admitted = 0
        var restsUntil: ContinuousClock.Instant?

        func isDue(_ most: Int, at now: ContinuousClock.Instant) -> Bool {
            guard admitted > 0, restsUntil.map({ $0 <= now }) ?? true else { return false }
            guard let count else { return true }
            return admitted >= (most - count) / Limits.countedParts
        }
    }

    private let store: EventStore
    private let most: Int
    private let known = Lock([TenantID: Known]())
    private let report: @Sendable (EventStoreError) -> Void

    /// - Parameters:
    ///   - most: that a tenant may keep.
    ///   - report: called with each failure; the watch carries on by itself.
    public init(
        store: EventStore, most: Int, report: @escaping @Sendable (EventStoreError) -> Void
    ) {
        self.store = store
        self.most = most
        self.report = report
    }

    /// To be asked before something is registered.
    /// - Returns: false if the tenant kept as many as it may when it was counted last.
    public func admit(_ tenant: TenantID) -> Bool {
        known.withLock { known in
            known[tenant, default: Known()].admitted += 1
            return known[tenant]?.count ?? 0 < most
        }
    }

    /// Looks until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(Limits.storageLookSeconds))
        }
    }

    /// Counts those tenants that are due.
    public func look() async {
        let now = ContinuousClock.now
        let due = known.withLock { known in known.filter { $0.value.isDue(most, at: now) }.keys }
        for tenant in due.sorted(by: { $0.rawValue < $1.rawValue }) where !Task.isCancelled {
            await count(tenant)
        }
    }

    private func count(_ tenant: TenantID) async {
        let admitted = known.withLock { $0[tenant]?.admitted ?? 0 }
        let began = ContinuousClock.now
        var count: Int?
        do throws(EventStoreError) {
            count = try await store.registrations.kept(tenant, most)
        } catch {
            if !Task.isCancelled { report(error) }
        }
        let ended = ContinuousClock.now
        let rest = (ended - began) * Limits.countRestShare
        known.withLock { [count] known in
            known[tenant]?.restsUntil = ended + rest
            guard let count else { return }
            known[tenant]?.count = count
            known[tenant]?.admitted -= admitted
        }
    }
}
