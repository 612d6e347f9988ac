import Domain
import EventStore

/// One subscription to the store's notifications for all streams of this node, which wait here.
actor ChangeHub {
    private struct Waiter {
        var tenant: TenantID
        var continuation: CheckedContinuation<Void, Never>
        var deadline: ContinuousClock.Instant
    }

    private let store: EventStore
    private let subjects: Set<StoreNotification.Subject>
    private let pollSeconds: Double
    private var isListening = false
    private var waiters: [UInt64: Waiter] = [:]
    private var lastWaiterID: UInt64 = 0
    /// Notifications so far per tenant; one that came between two looks has moved the count.
    private var counts: [TenantID: UInt64] = [:]
    private var commonCount: UInt64 = 0
    /// When waiters whose time is up are woken next; nil while no timer runs. A timer for each of a
    /// thousand waits a second, nearly all in vain, would cost as much as what they wait for.
    private var expireAt: ContinuousClock.Instant?

    /// - Parameter subjects: what its waiters wait for.
    init(_ store: EventStore, _ subjects: Set<StoreNotification.Subject>, _ limits: APILimits) {
        self.store = store
        pollSeconds = limits.streamPollSeconds
        // A key may have ended, and its streams with it.
        self.subjects = subjects.union([.keysChanged])
    }

    /// To be read before looking into the store, and handed to `wait` when there was nothing new.
    func count(of tenant: TenantID) -> UInt64 {
        listen()
        return counts[tenant, default: 0] + commonCount
    }

    /// Returns when the count is another than `seen`, when cancelled, or after `seconds`; earlier
    /// too, since a notification can be lost.
    func wait(for tenant: TenantID, beyond seen: UInt64, atMost seconds: Double) async {
        guard count(of: tenant) == seen else { return }
        lastWaiterID += 1
        let id = lastWaiterID
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Once more: at every `await` something may have happened.
                guard !Task.isCancelled, count(of: tenant) == seen else {
                    return continuation.resume()
                }
                let deadline = ContinuousClock.now + .seconds(min(seconds, pollSeconds))
                waiters[id] = Waiter(
                    tenant: tenant, continuation: continuation, deadline: deadline)
                scheduleExpiry(at: deadline)
            }
        } onCancel: {
            Task { await self.wake(id) }
        }
    }

    private func wake(_ id: UInt64) {
        waiters.removeValue(forKey: id)?.continuation.resume()
    }

    private func scheduleExpiry(at moment: ContinuousClock.Instant) {
        if let expireAt, expireAt <= moment { return }
        expireAt = moment
        Task(executorPreference: store.executor) { [weak self] in
            try? await Task.sleep(until: moment)
            await self?.expire(moment)
        }
    }

    /// - Parameter moment: for which it was scheduled; an earlier one may have been since.
    private func expire(_ moment: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        for (id, waiter) in waiters where waiter.deadline <= now { wake(id) }
        guard expireAt == moment else { return }
        expireAt = nil
        if let next = waiters.values.map(\.deadline).min() { scheduleExpiry(at: next) }
    }

    private func listen() {
        guard !isListening else { return }
        isListening = true
        let stream = store.notifications(about: subjects)
        Task(executorPreference: store.executor) { [weak self] in
            for await item in stream {
                guard let self else { return }
                await self.handle(item)
            }
        }
    }

    private func handle(_ notification: StoreNotification) {
        if notification == .resumed {
            commonCount += 1
            for id in waiters.keys { wake(id) }
        } else if case .happened(_, let tenant) = notification {
            counts[tenant, default: 0] += 1
            for (id, waiter) in waiters where waiter.tenant == tenant { wake(id) }
        }
    }
}
