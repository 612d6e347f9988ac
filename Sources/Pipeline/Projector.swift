import Domain
public import EventStore
import Projections

/// Follows the logs of all tenants and keeps snapshots and decisions up to date.
///
/// Any number may run, on one node or many: the store hands a tenant to one of them at a time.
public struct Projector: Sendable {
    private let store: EventStore
    private let bookCache = PolicyBookCache()
    private let now: @Sendable () -> ContinuousClock.Instant
    private let report: @Sendable (EventStoreError) -> Void

    /// - Parameters:
    ///   - now: what long batches are cut by.
    ///   - report: called with each failure; the projector carries on by itself.
    public init(
        store: EventStore, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        report: @escaping @Sendable (EventStoreError) -> Void
    ) {
        self.store = store
        self.now = now
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        await withTaskExecutorPreference(store.executor) { await follow() }
    }

    private func follow() async {
        let notifications = store.notifications(about: [.appended])
        await withTaskGroup(of: Void.self) { group in
            let (wakeUps, waker) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let requests = PendingFoldRequests(wake: waker)
            group.addTask {
                for await item in notifications { await requests.note(item) }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(Limits.foldPollSeconds))
                    await noteLeftBehind(in: requests)
                }
                waker.finish()
            }
            // Something may have been missed.
            await requests.note(.resumed)
            for await _ in wakeUps {
                if let request = await requests.take() { await run(request, requests) }
            }
            group.cancelAll()
        }
    }

    /// Notes tenants whose events have waited for some seconds: younger ones are about to be folded
    /// from memory. If the lags cannot be read, everything is folded.
    private func noteLeftBehind(in requests: PendingFoldRequests) async {
        do {
            let lags = try await store.upkeep.lags()
            await requests.note(
                lags.filter { $0.waitedSeconds > Limits.foldedSoonSeconds }.map(\.tenant))
        } catch {
            guard !Task.isCancelled else { return }
            report(error)
            // Not by noting `.resumed`: that drops the tenants noted so far, and `drain` may end
            // before their turn, at a tenant that cannot be folded.
            await drain()
        }
    }

    /// A tenant whose events cannot be folded now keeps no other waiting, nor does one with
    /// many events that wait.
    private func run(
        _ request: PendingFoldRequests.PendingRequest, _ requests: PendingFoldRequests
    ) async {
        switch request {
        case .everything:
            // Each time it is the turn of the tenant that was folded longest ago.
            await drain()
        case .tenants(let tenants):
            // A tenant that may have more takes its next turn with those that came meanwhile.
            for tenant in tenants where await fold(tenant)?.mayHaveMore == true {
                await requests.note([tenant])
            }
        }
    }

    /// Folds all that is there.
    /// - Returns: the number of events folded.
    @discardableResult
    public func drain() async -> Int {
        var total = 0
        while let folded = await fold() { total += folded.count }
        return total
    }

    /// - Returns: nil when there was nothing, or it failed, or is not wanted any more.
    private func fold(
        _ tenant: TenantID? = nil
    ) async -> (count: Int, mayHaveMore: Bool)? {
        guard !Task.isCancelled else { return nil }
        let limit = Limits.batchEventsMax
        do {
            let folded = try await store.projections.foldNext(tenant, limit) {
                [bookCache, now] batch in BatchFolder.fold(batch, bookCache, now: now)
            }
            guard let folded else { return nil }
            return (folded.count, folded.count == limit || folded.result.foldedCount != nil)
        } catch {
            if !Task.isCancelled { report(error) }
            return nil
        }
    }
}
