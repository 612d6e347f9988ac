import Domain
import EventLoop

/// Folds what this node is about to record, so that recording and folding are one statement and
/// one commit.
///
/// It does so where a projector has asked for it and nothing has to be read: this node was the last
/// to fold the tenant, up to the log's end, and has the snapshots in memory. All else is folded
/// after it was recorded.
final class FoldingAlong: Sendable {
    private struct State {
        /// Whoever asked for it last is asked to fold.
        var folds: [(id: UInt64, fold: @Sendable (FoldBatch) -> FoldOutcome)] = []
        var nextID: UInt64 = 0
        var clock = ForeseenClock()
        /// Tenants of whom something was not as foreseen, until when they are left alone: a try
        /// that comes to nothing costs a round trip.
        var resting: [TenantID: ContinuousClock.Instant] = [:]

        mutating func canFold(_ tenant: TenantID) -> Bool {
            guard let end = resting[tenant] else { return true }
            guard end <= .now else { return false }
            resting[tenant] = nil
            return true
        }
    }

    let memory: Folding.Memory
    private let state = Lock(State())

    init(_ memory: Folding.Memory) {
        self.memory = memory
    }

    /// - Returns: to be called when it is to end.
    func begin(_ fold: @escaping @Sendable (FoldBatch) -> FoldOutcome) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.nextID += 1
            state.folds.append((state.nextID, fold))
            return state.nextID
        }
        return { self.state.withLock { $0.folds.removeAll { $0.id == id } } }
    }

    /// - Parameter before: what is being recorded; nil when nothing is.
    /// - Returns: nil when it has to be recorded first.
    func fold(_ append: PlainAppend, after before: FoldedAppend?) -> FoldedAppend? {
        let (tenant, before) = (append.tenant, before.flatMap { $0.precedes(append) ? $0 : nil })
        guard let expected = append.expected, append.events.count <= Limits.foldedAlongMax,
            let mark = before?.after ?? memory.snapshots.mark(of: tenant),
            mark.position == expected.position, let (fold, recordedAt) = ready(for: tenant),
            let events = append.foreseen(at: max(recordedAt, mark.movedAt))
        else { return nil }
        let activities = Set(events.map(\.event.activityID))
        var batch = FoldBatch(
            tenant: tenant, events: events,
            snapshots: memory.snapshots.find(activities, of: tenant, at: before?.mark ?? mark),
            policies: memory.policies.newest(of: tenant))
        if let before { batch.snapshots.replace(with: before.outcome, of: activities) }
        guard batch.snapshots.count + append.unknown.count == activities.count,
            append.unknown.allSatisfy({ batch.snapshots[$0] == nil })
        else { return nil }
        let outcome = fold(batch)
        guard outcome.isWhole, outcome.decisions.count == events.count else { return nil }
        return FoldedAppend(
            append: append, outcome: outcome, mark: mark, recordedAt: events[0].recordedAt,
            policyEpoch: batch.policies.epoch,
            hasKnownWords: outcome.hasKnownWords(replacing: batch.snapshots))
    }

    private func ready(
        for tenant: TenantID
    ) -> (fold: @Sendable (FoldBatch) -> FoldOutcome, recordedAt: Moment)? {
        state.withLock { state in
            guard let fold = state.folds.last?.fold, state.canFold(tenant),
                let now = state.clock.now
            else { return nil }
            return (fold, now)
        }
    }

    /// It came to nothing.
    func rest(_ tenant: TenantID) {
        state.withLock { state in
            if state.resting.count >= Limits.hotTenantsMax {
                state.resting.removeAll(keepingCapacity: true)
            }
            state.resting[tenant] = .now + .seconds(Limits.foldAlongRestSeconds)
        }
    }

    /// It was recorded and folded.
    func keep(_ folded: FoldedAppend) {
        memory.keep(
            folded.outcome, of: folded.append.tenant, before: folded.mark, after: folded.after)
    }

    /// Postgres has just answered what its time was.
    func note(_ time: Moment) { state.withLock { $0.clock.note(time) } }
}

/// The time of Postgres, without asking for it.
///
/// What it last said is a little older than when it was heard, so this clock is behind by as much.
struct ForeseenClock {
    private var told: (time: Moment, at: ContinuousClock.Instant)?

    /// Nil when nothing was heard for too long.
    var now: Moment? { now(at: .now) }

    func now(at instant: ContinuousClock.Instant) -> Moment? {
        guard let told, instant - told.at < .seconds(Limits.foreseenSecondsMax) else { return nil }
        return told.time.adding(seconds: (instant - told.at) / .seconds(1))
    }

    /// - Parameter time: what it was at some moment before `instant`.
    mutating func note(_ time: Moment, at instant: ContinuousClock.Instant = .now) {
        // What was heard sooner says more, for as long as the clocks hardly drift.
        if let told, instant - told.at < .seconds(1), let now = now(at: instant), now >= time {
            return
        }
        told = (time, instant)
    }
}
