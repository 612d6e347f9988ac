import DeliveryRules
import Domain
public import EventStore
import Foundation
import Projections

/// Folds a batch of a tenant's events into snapshots and decisions. Pure.
public struct BatchFolder {
    /// Why an event is parked that nothing is wrong with.
    static let parkedBehind = "an earlier event of the activity is parked"

    private let book: PolicyBook
    /// Snapshots of the activities before the batch, and of those that cannot be folded further.
    private var snapshots: [ActivityID: Snapshot]
    /// Folds of the activities that the batch changes. Each is written once, at its end.
    private var folds: [ActivityID: DispatchingFold] = [:]
    private var blocked: Set<ActivityID> = []
    private var gathered = FoldResult(snapshots: [], decisions: [], parked: [])

    /// Folds all of it.
    /// - Returns: every changed snapshot once, one decision for each folded event, and the events
    ///   that could not be folded; or what is wanted first.
    public static func fold(_ batch: FoldBatch) -> FoldResult {
        fold(batch, PolicyBookCache())
    }

    /// - Parameters:
    ///   - bookCache: remembers the tenants' books from one batch to the next.
    ///   - now: nil for a batch that is folded to its end, however long that takes.
    static func fold(
        _ batch: FoldBatch, _ bookCache: PolicyBookCache,
        now: (() -> ContinuousClock.Instant)? = nil
    ) -> FoldResult {
        let book: PolicyBook
        do { book = try bookCache.book(of: batch.tenant, batch.policies) } catch {
            // Only a newer version of the program can have stored what this one cannot read.
            var gathered = FoldResult(snapshots: [], decisions: [], parked: [])
            gathered.needsNewerProgram = true
            return gathered
        }
        var folder = BatchFolder(book: book, snapshots: batch.snapshots)
        if let obstacle = folder.refoldOutdated(batch.histories) { return obstacle }
        folder.gathered.decisions.reserveCapacity(batch.events.count)
        // Histories would be read and folded again for each part of it.
        let now = batch.histories.isEmpty ? now : nil
        let end = now?().advanced(by: .milliseconds(Limits.batchMillisMax))
        for (index, event) in batch.events.enumerated() {
            if index > 0, let now, let end, now() >= end {
                folder.gathered.foldedCount = index
                break
            }
            folder.foldOrPark(event)
        }
        return folder.result()
    }

    /// Folds activities again that an older version of their fold has stored: what it stored may
    /// mean something else now. The rest of them waits for a rebuild.
    /// - Returns: what must come first, histories or a newer program; nil when all are up to date.
    private mutating func refoldOutdated(
        _ histories: [ActivityID: [RecordedEvent]]
    ) -> FoldResult? {
        var obstacle = FoldResult(snapshots: [], decisions: [], parked: [])
        for (id, snapshot) in snapshots where snapshot.blockage == nil {
            guard let newest = ActivityCatalog.standard.kind(named: snapshot.kind)?.foldVersion
            else {
                continue
            }
            if snapshot.foldVersion > newest { obstacle.needsNewerProgram = true }
            guard snapshot.foldVersion < newest else { continue }
            if let history = histories[id] {
                snapshots[id] = refolded(history, instead: snapshot)
            } else {
                obstacle.wantsHistory.insert(id)
            }
        }
        return obstacle.needsNewerProgram || !obstacle.wantsHistory.isEmpty ? obstacle : nil
    }

    /// What phones were sent stays as it is.
    private func refolded(
        _ history: [RecordedEvent], instead stored: Snapshot
    ) -> Snapshot {
        guard let first = history.first, let fold = try? StateFold(first, under: book),
            (try? history.dropFirst().forEach { try fold.fold($0, under: book) }) != nil
        else { return stored }
        var snapshot = fold.snapshot()
        snapshot.dispatch = stored.dispatch
        return snapshot
    }

    /// An event that belongs to another kind is parked alone. After any other failure the activity
    /// is blocked and its later events are parked too: folding past a gap would show a state that
    /// never was.
    private mutating func foldOrPark(_ event: RecordedEvent) {
        let activity = event.event.activityID
        let before = snapshots[activity]
        if before?.blockage != nil { return park(event, because: Self.parkedBehind) }
        do {
            try event.withBorrowedEvent { (event) throws(FoldError) in
                var fold = try openFold(for: event, before)
                gathered.decisions.append(try fold.apply(event, under: book))
                folds[activity] = fold
            }
        } catch {
            park(event, because: error.summary)
            if case .kindMismatch = error { return }
            let stored = folds.removeValue(forKey: activity)?.snapshot() ?? before
            var snapshot = stored ?? event.withBorrowedEvent { Snapshot.unfolded($0) }
            snapshot.blockage = error.summary
            snapshot.dueAt = nil
            snapshots[activity] = snapshot
            blocked.insert(activity)
        }
    }

    /// The activity's fold of this batch, or a new one on what was stored.
    private func openFold(
        for event: BorrowedEvent, _ stored: Snapshot?
    ) throws(FoldError) -> DispatchingFold {
        if let fold = folds[event.activityID] { return fold }
        return try DispatchingFold(FoldStart(stored, before: event))
    }

    private func result() -> FoldResult {
        var gathered = gathered
        gathered.snapshots =
            (blocked.compactMap { snapshots[$0] } + folds.values.map { $0.snapshot() })
            .sorted { $0.activityID < $1.activityID }
        return gathered
    }

    private mutating func park(_ event: RecordedEvent, because reason: String) {
        gathered.parked.append(event.withBorrowedEvent { ParkedEvent($0, because: reason) })
    }
}

extension ParkedEvent {
    init(_ event: BorrowedEvent, because reason: String) {
        self.init(position: event.position, activityID: event.activityID, reason: reason)
    }
}

extension Snapshot {
    /// Stands for an activity whose very first event could not be folded.
    static func unfolded(_ event: BorrowedEvent) -> Snapshot {
        let nothing = Data("{}".utf8)
        let kind = ActivityCatalog.standard.kind(ofEventType: event.typeName)
        return Snapshot(
            activityID: event.activityID, kind: kind?.name ?? "unknown",
            version: event.version, position: event.position, phase: .scheduled, state: nothing,
            attributes: nothing, contentState: nothing, updatedAt: event.recordedAt,
            // This fold has tried: a rebuild would give nothing else.
            foldVersion: kind?.foldVersion ?? 1)
    }

    /// Version of the last event that was folded in; 0 when not even the first could be.
    var foldedVersion: Int64 { state == Data("{}".utf8) ? 0 : version }
}
