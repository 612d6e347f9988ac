public import Domain
public import EventStore
import Projections

/// Appends what time alone brings about (see `ActivityCatalog.nextDue`) when its time has come.
///
/// Any number may run, on one node or many: the log takes an event of the clock once. An activity
/// whose events wait to be folded is left alone, so a projector that lags costs nothing here.
public struct ClockRunner: Sendable {
    private let store: EventStore
    private let now: @Sendable () async throws(EventStoreError) -> Moment
    private let report: @Sendable (EventStoreError) -> Void

    /// - Parameters:
    ///   - now: the database's clock, unless time is virtual. A node's own may be hours ahead, and
    ///     cards of all nodes would end.
    ///   - report: called with each failure; the clock carries on by itself.
    public init(
        store: EventStore, now: @escaping @Sendable () async throws(EventStoreError) -> Moment,
        report: @escaping @Sendable (EventStoreError) -> Void
    ) {
        self.store = store
        self.now = now
        self.report = report
    }

    /// Runs until its task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            var pause = Limits.clockPollSeconds
            do throws(EventStoreError) {
                let moment = try await now()
                let began = ContinuousClock.now
                try await tick(at: moment)
                if let next = try await store.clock.nextDue(moment) {
                    let passed = (ContinuousClock.now - began) / .seconds(1)
                    pause = min(pause, max(0, next.seconds(since: moment) - passed))
                }
            } catch {
                if !Task.isCancelled { report(error) }
            }
            try? await Task.sleep(for: .milliseconds(Int64(pause * 1000) + 1))
        }
    }

    /// Appends everything that is due. A tenant whose log takes nothing waits for the next look,
    /// and keeps no other one waiting.
    /// - Returns: the number of events recorded.
    @discardableResult
    public func tick(at moment: Moment) async throws(EventStoreError) -> Int {
        var recorded = 0
        var refused: [TenantID: EventStoreError] = [:]
        var place: DueActivity.Place?
        while !Task.isCancelled {
            let page = try await store.clock.due(moment, place, Limits.pageDue)
            recorded += try await bringAbout(page, at: moment, &refused)
            guard page.count == Limits.pageDue, let last = page.last else { break }
            place = last.place
        }
        let first = refused.min { $0.key < $1.key }
        if let error = first?.value, !Task.isCancelled { report(error) }
        return recorded
    }

    /// - Parameter refused: the tenants for which it failed; nothing more is tried for them.
    private func bringAbout(
        _ page: [DueActivity], at moment: Moment, _ refused: inout [TenantID: EventStoreError]
    ) async throws(EventStoreError) -> Int {
        var events: [TenantID: [NewEvent]] = [:]
        var corrections: [DueActivity] = []
        for var activity in page {
            let due: NewEvent?
            do {
                due = try ActivityCatalog.standard.nextDue(
                    activity.snapshot, after: activity.streamVersion, at: moment)
            } catch {
                // Another version of Islet stored it. It runs a clock of its own, or comes back.
                activity.snapshot.dueAt = moment.adding(seconds: Limits.unreadableSeconds)
                corrections.append(activity)
                continue
            }
            if let due, due.occurredAt <= moment {
                events[activity.place.tenant, default: []].append(due)
            } else {
                activity.snapshot.dueAt = due?.occurredAt
                corrections.append(activity)
            }
        }
        if !corrections.isEmpty { try await store.clock.correct(corrections) }
        var recorded = 0
        for (tenant, events) in events.sorted(by: { $0.key < $1.key })
        where refused[tenant] == nil {
            do throws(EventStoreError) {
                // One that is known was appended by another node; one that expects another version
                // was overtaken by a report. Both are fine.
                recorded += try await store.log.append(tenant, events, isAtomic: false)
                    .count { $0.isRecorded }
            } catch {
                // One log may be locked. When a second one does not answer, none would.
                guard refused.isEmpty || error.isOfOneLog else { throw error }
                refused[tenant] = error
            }
        }
        return recorded
    }
}

extension EventStoreError {
    /// Says nothing of what other tenants' logs take.
    fileprivate var isOfOneLog: Bool {
        switch self {
        case .overloaded, .moving, .failed: true
        case .unavailable, .outcomeUnknown, .schema: false
        }
    }
}

extension AppendResult {
    fileprivate var isRecorded: Bool {
        switch self {
        case .recorded: true
        case .alreadyKnown, .contentConflict, .batchConflict, .versionConflict, .notRecorded: false
        }
    }
}
